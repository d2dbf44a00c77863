/* fingerprint.c - one number that changes when anything in a scene does that a trajectory depends on.
 *
 * Every part is hashed field by field, by the tables that also read and write it, so a new field is in it by itself. Not
 * in it: name, times, scheme and solver, which a run may change on the way, and outputs, which change nothing.
 *
 * The structure of a scene is the same number with all that is live left out: gravity, numbers and functions of forces, motors,
 * limits, springs, dampers and friction of joints, motions of driven bodies, friction and restitution. Whether there is a motor,
 * a spring or a motion is in it. */
#include "base/extensions.h"
#include "base/options.h"
#include "model/mesh.h"
#include "model/model.h"
#include "model/outputs.h"
#include "model/scene.h"
#include <math.h>

static uint64_t hash_settings(const ss_scene_settings *s)
{
    uint64_t h = ss_hash(1, &s->dimension, sizeof s->dimension);
    h = ss_hash(h, s->gravity, sizeof s->gravity);
    h = ss_hash(h, s->friction_frame, sizeof s->friction_frame);
    h = ss_hash(h, &s->length_scale, sizeof s->length_scale);
    h = ss_hash(h, &s->share, sizeof s->share);
    return ss_hash(h, &s->reduce_contacts, sizeof s->reduce_contacts);
}

/* the keys of a type; NULL: there is no such type */
static const ss_field *fields_of(const ss_scene *s, ss_registry registry, const char *type)
{
    const ss_entry *entry = type ? ss_entry_find(s->ctx, registry, type) : NULL;
    return entry ? entry->fields : NULL;
}

/* a function of time that may be another one */
static const char *hide(const char *text) { return text ? "" : NULL; }

static ss_body_desc live_body(const ss_body_desc *given, bool live)
{
    ss_body_desc d = *given;
    for (int k = 0; live && k < 3; k++) {
        d.motion[k] = hide(d.motion[k]);
    }
    d.motion_angle = live ? hide(d.motion_angle) : d.motion_angle;
    return d;
}

static ss_material_desc live_material(const ss_material_desc *given, bool live)
{
    ss_material_desc d = *given;
    d.mu[0] = live ? d.mu[0] != d.mu[1] : d.mu[0]; /* with a grain, or without */
    d.mu[1] = live ? 0 : d.mu[1];
    d.e = live ? 0 : d.e;
    d.rolling_friction = live ? 0 : d.rolling_friction;
    d.spinning_friction = live ? 0 : d.spinning_friction;
    return d;
}

static ss_pair_desc live_pair(const ss_pair_desc *given, bool live)
{
    ss_pair_desc d = *given;
    d.mu[0] = live ? d.mu[0] != d.mu[1] : d.mu[0];
    d.mu[1] = live ? 0 : d.mu[1];
    d.e = live ? 0 : d.e;
    d.rolling_friction = live ? 0 : d.rolling_friction;
    d.spinning_friction = live ? 0 : d.spinning_friction;
    return d;
}

static ss_joint_desc live_joint(const ss_joint_desc *given, bool live)
{
    ss_joint_desc d = *given;
    if (live) {
        d.motor.speed = hide(d.motor.speed);
        d.motor.force = hide(d.motor.force);
        d.motor.position = hide(d.motor.position);
        d.motor.max = isfinite(d.motor.max) ? 1 : INFINITY;
        d.motor.stiffness = d.motor.stiffness > 0;
        d.motor.damping = d.motor.damping > 0;
        d.limits[0] = d.limits[1] = d.restitution = 0;
        d.resistance = (ss_resistance_desc){ .stiffness = d.resistance.stiffness > 0,
                                             .damping = d.resistance.damping > 0,
                                             .friction = d.resistance.friction > 0 };
    }
    return d;
}

static ss_force_desc live_force(const ss_force_desc *given, bool live)
{
    ss_force_desc d = *given;
    if (live) {
        d.stiffness = d.damping = d.length = d.omega = d.phase = 0;
        memset(d.force, 0, sizeof d.force);
        memset(d.torque, 0, sizeof d.torque);
        d.table = (ss_table){ 0 };
        memset(d.number, 0, sizeof d.number);
    }
    for (int k = 0; live && k < 3; k++) {
        d.force_t[k] = NULL;
        d.torque_t[k] = NULL;
    }
    return d;
}

/* live: without the numbers that may change while a simulation runs */
static uint64_t hash_parts(const ss_scene *s, bool live, uint64_t h)
{
    for (int i = 0; i < s->bodies; i++) {
        const ss_body_desc d = live_body(&s->body[i], live);
        h = ss_hash(h, &d.type, sizeof d.type);
        h = ss_fields_hash(h, ss_body_fields(d.type), &d);
    }
    for (int i = 0; i < s->shapes; i++) {
        h = ss_hash(h, &s->shape[i].body, sizeof s->shape[i].body);
        h = ss_fields_hash(h, fields_of(s, SS_SHAPES, s->shape[i].desc.type), &s->shape[i].desc);
    }
    for (int i = 0; i < s->materials; i++) {
        const ss_material_desc d = live_material(&s->material[i], live);
        h = ss_fields_hash(h, ss_material_fields(), &d);
    }
    for (int i = 0; i < s->pairs; i++) {
        const ss_pair_desc d = live_pair(&s->pair[i], live);
        h = ss_fields_hash(h, ss_pair_fields(), &d);
    }
    for (int i = 0; i < s->joints; i++) {
        const ss_joint_desc d = live_joint(&s->joint[i], live);
        h = ss_fields_hash(h, fields_of(s, SS_JOINTS, d.type), &d);
    }
    for (int i = 0; i < s->forces; i++) {
        const ss_force_desc d = live_force(&s->force[i], live);
        h = ss_fields_hash(h, fields_of(s, SS_FORCES, d.type), &d);
    }
    for (int i = 0; i < s->meshes; i++) {
        h = ss_fields_hash(h, fields_of(s, SS_ELEMENTS, s->mesh[i].type), &s->mesh[i]);
        h = ss_mesh_hash(h, &s->mesh[i].solid.data, s->settings.dimension);
    }
    return h;
}

uint64_t ss_scene_fingerprint(const ss_scene *s) { return hash_parts(s, false, hash_settings(&s->settings)); }

uint64_t ss_scene_outputs_hash(const ss_scene *s)
{
    uint64_t h = 0;
    for (int i = 0; i < s->outputs; i++) {
        h = ss_fields_hash(h, fields_of(s, SS_OUTPUTS, s->output[i].type), &s->output[i]);
    }
    return h;
}

uint64_t ss_scene_structure(const ss_scene *s)
{
    ss_scene_settings settings = s->settings;
    memset(settings.gravity, 0, sizeof settings.gravity);
    const uint64_t outputs = ss_scene_outputs_hash(s);
    return ss_hash(hash_parts(s, true, hash_settings(&settings)), &outputs, sizeof outputs);
}
