/* event_json.c - an event as JSON, bodies and contacts by name.
 *
 * The position at that instant where it is known. Impacts carry the velocities before, after compression and after, the
 * impulses contact by contact (n, t..), and the kinetic energy at the three instants. */
#include "io/json.h"

#include <slipstick/io.h>

static json_t *numbers(const double *x, int n)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        json_array_append_new(list, json_real(x[k]));
    }
    return list;
}

static json_t *body_value(const ss_model *m, int body)
{
    return body < 0 || body >= ss_model_body_count(m) ? json_string("world") : json_string(ss_model_body_name(m, body));
}

/* {CONTACT: [n, t..]} */
static json_t *impulses_value(const ss_model *m, const ss_event *e, const double *impulse)
{
    json_t *object = json_object();
    for (int k = 0; k < e->impulses; k++) {
        json_object_set_new(object, e->impulse_contact[k], numbers(impulse + 3 * k, ss_model_dimension(m)));
    }
    return object;
}

static void add_impact(const ss_model *m, const ss_event *e, json_t *object)
{
    int nv = ss_model_nv(m);
    json_object_set_new(object, "v_minus", numbers(e->v_minus, nv));
    if (e->v_compression) {
        json_object_set_new(object, "v_compression", numbers(e->v_compression, nv));
    }
    json_object_set_new(object, "v_plus", numbers(e->v_plus, nv));
    if (e->impulse) {
        json_object_set_new(object, "impulse", impulses_value(m, e, e->impulse));
    }
    if (e->impulse_total) {
        json_object_set_new(object, "impulse_total", impulses_value(m, e, e->impulse_total));
    }
    json_object_set_new(object, "kinetic", numbers(e->kinetic, 3));
}

ss_status ss_event_to_json(ss_context *ctx, const ss_sim *sim, const ss_event *event, char **text)
{
    const ss_model *m = ss_sim_model(sim);
    json_t *object = json_object();
    json_t *contact = event->contact ? json_string(event->contact) : json_null();
    *text = NULL;
    json_object_set_new(object, "t", json_real(event->t));
    json_object_set_new(object, "kind", json_string(ss_event_kind_name(event->kind)));
    json_object_set_new(object, "contact", contact);
    json_object_set_new(object, "bodies", json_pack("[o,o]", body_value(m, event->bodies[0]), body_value(m, event->bodies[1])));
    if (event->q) {
        json_object_set_new(object, "q", numbers(event->q, ss_model_nq(m)));
    }
    if (event->v_minus && event->v_plus) {
        add_impact(m, event, object);
    }
    return ss_json_text(ctx, object, JSON_COMPACT, text);
}
