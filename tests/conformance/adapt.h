/* adapt.h - the same scene for a scheme that lacks a law: what can be left out without changing what is tested. */
#ifndef SS_TEST_ADAPT_H
#define SS_TEST_ADAPT_H

#include "model/scene.h"

/* A scheme without restitution is shown the scene with e = 0, one that does not know moments the scene without them. */
static inline void adapt(ss_scene *scene, const ss_entry *scheme)
{
    bool elastic = scheme->laws & (SS_LAW_NEWTON | SS_LAW_POISSON), rolls = scheme->laws & SS_LAW_ROLLING;
    for (int k = 0; k < scene->materials && !rolls; k++) {
        scene->material[k].rolling_friction = scene->material[k].spinning_friction = 0;
    }
    for (int k = 0; k < scene->pairs && !rolls; k++) {
        scene->pair[k].rolling_friction = scene->pair[k].spinning_friction = 0;
    }
    for (int k = 0; k < scene->materials && !elastic; k++) {
        scene->material[k].e = 0;
    }
    for (int k = 0; k < scene->pairs && !elastic; k++) {
        scene->pair[k].e = 0;
    }
}

#endif
