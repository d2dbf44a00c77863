/* table.c - force and torque linear between the rows of a table, constant before the first and after the last.
 * The force acts at a point fixed in the body, force and torque are in world axes; class APPLIED. */
#include "model/fields.h"
#include "model/links.h"

static const ss_field fields[] = {
    SS_FORCE_NAME,
    SS_FORCE_TYPE,
    SS_FORCE_BODY,
    SS_FORCE_POINT,
    SS_PART_FIELD(ss_force_desc, "table", SS_FIELD_TABLE, table, SS_FIELD_REQUIRED, "times (s), forces (N) and torques (N m)"),
    SS_FIELD_END,
};

/* last row that begins at or before t; bisection, so that long tables stay cheap */
static int row_before(const ss_table *table, double t)
{
    int lo = 0, hi = table->rows;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (table->t[mid] <= t) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static ss_vec3 interpolate(const ss_table *table, const double *column, double t)
{
    if (!column) {
        return ss_v3(0, 0, 0);
    }
    int k = row_before(table, t);
    ss_vec3 a = ss_v3_from(column + 3 * k);
    if (t <= table->t[k] || k + 1 == table->rows) {
        return a;
    }
    double s = (t - table->t[k]) / (table->t[k + 1] - table->t[k]);
    return ss_axpy(s, ss_sub(ss_v3_from(column + 3 * (k + 1)), a), a);
}

static void eval(const ss_force *force, double t, const ss_spot s[2], ss_wrench w[SS_FORCE_CLASSES][2])
{
    (void)s;
    ss_load_add(interpolate(&force->table, force->table.force, t), interpolate(&force->table, force->table.torque, t),
                w[SS_FORCE_APPLIED]);
}

const ss_force_type ss_force_table = {
    .info = { .name = "table",
              .title = "force and torque from a table over time",
              .reference = "",
              .dimensions = 4 | 8,
              .fields = fields },
    .eval = eval,
};
