/* fingerprint.c - one number that changes when anything in a scene does that a trajectory depends on.
 *
 * Every part is hashed field by field, by the tables that also read and write it, so a new field is in it by itself. Not
 * in it: name, times, scheme and solver, which a run may change on the way. */
#include "base/options.h"
#include "geom/geom.h"
#include "model/mesh.h"
#include "model/model.h"
#include "model/scene.h"

static uint64_t hash_settings(const ss_scene_settings *s)
{
    uint64_t h = ss_hash(1, &s->dimension, sizeof s->dimension);
    h = ss_hash(h, s->gravity, sizeof s->gravity);
    h = ss_hash(h, s->friction_frame, sizeof s->friction_frame);
    h = ss_hash(h, &s->length_scale, sizeof s->length_scale);
    h = ss_hash(h, &s->share, sizeof s->share);
    return ss_hash(h, &s->reduce_contacts, sizeof s->reduce_contacts);
}

static const ss_field *joint_fields(const char *type)
{
    for (int k = 0; ss_joint_types[k]; k++) {
        if (ss_entry_answers(&ss_joint_types[k]->info, type)) {
            return ss_joint_types[k]->info.fields;
        }
    }
    return NULL;
}

static const ss_field *force_fields(const char *type)
{
    for (int k = 0; ss_force_types[k]; k++) {
        if (ss_entry_answers(&ss_force_types[k]->info, type)) {
            return ss_force_types[k]->info.fields;
        }
    }
    return NULL;
}

static const ss_field *element_fields(const char *type)
{
    for (int k = 0; ss_element_types[k]; k++) {
        if (ss_entry_answers(&ss_element_types[k]->info, type)) {
            return ss_element_types[k]->info.fields;
        }
    }
    return NULL;
}

static const ss_field *shape_fields(const char *type)
{
    for (int k = 0; ss_shape_types[k]; k++) {
        if (ss_entry_answers(&ss_shape_types[k]->info, type)) {
            return ss_shape_types[k]->info.fields;
        }
    }
    return NULL;
}

uint64_t ss_scene_fingerprint(const ss_scene *s)
{
    uint64_t h = hash_settings(&s->settings);
    for (int i = 0; i < s->bodies; i++) {
        h = ss_hash(h, &s->body[i].type, sizeof s->body[i].type);
        h = ss_fields_hash(h, ss_body_fields(s->body[i].type), &s->body[i]);
    }
    for (int i = 0; i < s->shapes; i++) {
        h = ss_hash(h, &s->shape[i].body, sizeof s->shape[i].body);
        h = ss_fields_hash(h, shape_fields(s->shape[i].desc.type), &s->shape[i].desc);
    }
    for (int i = 0; i < s->materials; i++) {
        h = ss_fields_hash(h, ss_material_fields(), &s->material[i]);
    }
    for (int i = 0; i < s->pairs; i++) {
        h = ss_fields_hash(h, ss_pair_fields(), &s->pair[i]);
    }
    for (int i = 0; i < s->joints; i++) {
        h = ss_fields_hash(h, joint_fields(s->joint[i].type), &s->joint[i]);
    }
    for (int i = 0; i < s->forces; i++) {
        h = ss_fields_hash(h, force_fields(s->force[i].type), &s->force[i]);
    }
    for (int i = 0; i < s->meshes; i++) {
        h = ss_fields_hash(h, element_fields(s->mesh[i].type), &s->mesh[i]);
        h = ss_mesh_hash(h, &s->mesh[i].solid.data, s->settings.dimension);
    }
    return h;
}
