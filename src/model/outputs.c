/* outputs.c - the list of outputs, and what others may ask of those of a model. */
#include "model/outputs.h"

#define SS_OUTPUT(name) extern const ss_output_type ss_output_##name;
#include "model/outputs/outputs.def"
#undef SS_OUTPUT

const ss_output_type *const ss_output_types[] = {
#define SS_OUTPUT(name) &ss_output_##name,
#include "model/outputs/outputs.def"
#undef SS_OUTPUT
    NULL,
};

int ss_model_output_count(const ss_model *m) { return m->outputs.columns; }

int ss_model_declared_outputs(const ss_model *m) { return m->outputs.declared_columns; }

const char *ss_model_output_name(const ss_model *m, int k)
{
    return k >= 0 && k < m->outputs.columns ? m->outputs.name[k] : NULL;
}

const char *ss_model_output_unit(const ss_model *m, int k)
{
    return k >= 0 && k < m->outputs.columns ? m->outputs.unit[k] : NULL;
}
