/* adapt.h - the same scene for a scheme that lacks a law: what can be left out without changing what is tested. */
#ifndef SS_TEST_ADAPT_H
#define SS_TEST_ADAPT_H

#include "model/scene.h"

/* A scheme without restitution is shown the scene with e = 0. */
static inline void adapt(ss_scene *scene, const ss_entry *scheme)
{
    bool elastic = scheme->laws & (SS_LAW_NEWTON | SS_LAW_POISSON);
    for (int k = 0; k < scene->materials && !elastic; k++) {
        scene->material[k].e = 0;
    }
    for (int k = 0; k < scene->pairs && !elastic; k++) {
        scene->pair[k].e = 0;
    }
}

#endif
