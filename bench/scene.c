/* scene.c - what engines need of a scene file: spheres, boxes, planes. The file is the generator's. */
#include "bench.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_vector(const json_t *list, double x[3])
{
    for (size_t k = 0; k < 3; k++) {
        x[k] = json_number_value(json_array_get(list, k));
    }
}

static void read_planes(bench_scene *scene, const json_t *shapes)
{
    size_t k;
    json_t *shape;
    json_array_foreach(shapes, k, shape)
    {
        bench_plane *plane = &scene->plane[scene->planes++];
        if (scene->planes > 8 || strcmp(json_string_value(json_object_get(shape, "type")), "half_space") != 0) {
            bench_fatal("%s: fixed bodies may have up to 8 planes, nothing else", scene->path);
        }
        read_vector(json_object_get(shape, "normal"), plane->normal);
        plane->offset = json_number_value(json_object_get(shape, "offset"));
    }
}

static void read_body(bench_scene *scene, const json_t *item)
{
    bench_body *b = &scene->body[scene->bodies++];
    const json_t *shape = json_array_get(json_object_get(item, "shapes"), 0);
    double density = json_number_value(json_object_get(item, "density"));
    b->radius = json_number_value(json_object_get(shape, "radius"));
    b->sphere = b->radius > 0;
    read_vector(json_object_get(shape, "size"), b->size);
    read_vector(json_object_get(item, "position"), b->position);
    b->mass = density * (b->sphere ? 4.0 / 3 * acos(-1) * pow(b->radius, 3) : b->size[0] * b->size[1] * b->size[2]);
    if (!(b->mass > 0) || json_object_get(item, "orientation")) {
        bench_fatal("%s: spheres and boxes with a density and without a rotation, nothing else", scene->path);
    }
}

bench_scene bench_scene_read(const char *path, double h)
{
    json_error_t error;
    size_t k;
    json_t *file = json_load_file(path, 0, &error), *bodies = json_object_get(file, "bodies"), *item;
    bench_scene scene = { .path = path, .h = h, .gravity = 9.81 };
    scene.body = calloc(json_array_size(bodies) + 1, sizeof *scene.body);
    if (!file || !scene.body) {
        bench_fatal("%s: cannot be read: %s", path, error.text);
    }
    scene.mu = json_number_value(json_object_get(json_array_get(json_object_get(file, "materials"), 0), "mu"));
    json_array_foreach(bodies, k, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "type")), "rigid") == 0) {
            read_body(&scene, item);
        } else {
            read_planes(&scene, json_object_get(item, "shapes"));
        }
    }
    json_decref(file);
    return scene;
}

char *bench_scene_write(const char *words, const char *name)
{
    char command[8192], *path = bench_array(4096, 1);
    snprintf(path, 4096, "%s/%s.json", bench_run.folder, name);
    snprintf(command, sizeof command, "'%s' generate %s -o '%s'", bench_run.program, words, path);
    if (system(command) != 0) {
        bench_fatal("failed: %s", command);
    }
    return path;
}

bench_scene bench_scene_make(const char *words, const char *name, double h)
{
    return bench_scene_read(bench_scene_write(words, name), h);
}

void bench_scene_free(bench_scene *scene)
{
    free(scene->body);
    free((char *)scene->path);
}
