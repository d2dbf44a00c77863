#!/usr/bin/python3
"""Break the code on purpose, one place at a time, and demand that a named test turns red.

    tools/mutate.py [SOURCE_DIR] [-j JOBS] [--only TEXT]

Each mutation replaces one piece of text in one source of the library. Only that source is compiled, in a temporary folder; the
object is linked with the test program's own objects and, for everything else, the library of SOURCE_DIR/build, whose members
are not taken where an object defines the same names. Then the one test runs. A mutation that survives, that turns nothing red
but the rest of the program, or whose text is no longer found, is a failure of the test suite. --only takes those mutations
whose line of words or file holds the text. JOBS mutations are tried at a time.

Entries of src/base/tolerances.h (TOLERANCES) are made 100 times larger or smaller in a copy of that header; one source that
uses the entry is compiled with it.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

SCHEMES = "conformance.schemes"
AP97 = "unit.schemes.anitescu_potra"
MECHANISMS = "unit.schemes.mechanisms"
LEDGER = "the_ledger_closes_to_round_off"
BALL = "unit.exact.bouncing_ball"
PHASE = "unit.schemes.event_capturing_rk.phase"
STAGES = "unit.schemes.event_capturing_rk.stages"
RK = "unit.schemes.event_capturing_rk"
OVERLAPS = "unit.schemes.event_capturing_rk_overlaps"
IMPACT = "unit.kernels.impact"
LOCATED = "unit.kernels.located_step"
CONTACTS = "conformance.contacts"
BLOCKS = "unit.sim.blocks"
AUDIT = "unit.sim.audit"
TURNS = "unit.schemes.turns"
IMPLICIT = "unit.schemes.implicit_forces"
OVERLAP = "unit.schemes.no_overlap"
SURFACES = "unit.schemes.moving_surfaces"
PASSAGE = "unit.contact.passage"
PASSING = "unit.schemes.passing"
GALPHA = "unit.schemes.galpha_ggl"

HEADER = "src/base/tolerances.h"

SHARING = "conformance.sharing"
COMPLIANCE = "unit.problem.compliance"

# (what it breaks, file, text, replacement, test program, the test in it that must fail)
MUTATIONS = [
    # forces that statics leaves open
    ("what is not in the range is kept", "src/math/limit.c", "    project(f, g);\n    for", "    for",
     "unit.math.limit", "what_is_not_in_the_range_is_taken_away_and_a_regular_matrix_is_solved"),
    ("no part in the null space", "src/math/limit.c", "f->b[j] = -ss_dense_dot(f->rank,", "f->b[j] = -0 * ss_dense_dot(f->rank,",
     "unit.math.limit", "the_limit_is_that_of_small_eps"),
    ("every contact has the same compliance, however often it is there", "src/problem/compliance.c",
     "both * c->e[i] * dot", "both * dot", SHARING, "contacts_at_the_same_place_count_once"),
    ("a guess need not obey the laws", "src/problem/compliance.c",
     "    *found = *found && ss_compliance_error(run, 0, c->r, c->u) <= SS_TOL_OBEYS;\n    for (int i", "    for (int i",
     COMPLIANCE, "a_guess_that_is_sure_is_what_the_path_finds"),
    ("contacts of a guess need not bear anything", "src/problem/compliance.c", "*found = !active || is_loaded(run, i);", "(void)active;",
     SHARING, "a_symmetric_cart_is_not_yawed"),
    ("the path ends too early", "src/problem/compliance_path.c", "STIFFEST = 1e-6;", "STIFFEST = 1;",
     COMPLIANCE, "the_path_leads_to_the_limit_of_small_compliances"),
    ("slip does not turn", "src/problem/compliance.c", "        ss_face_turn(c->problem, c->contact[i], r, face);\n", "",
     COMPLIANCE, "the_path_leads_to_the_limit_of_small_compliances"),
    ("impulses are not refined", "src/problem/sharing.c", "REFINEMENTS = 2", "REFINEMENTS = 0",
     SHARING, "a_heavy_box_rests_on_a_light_one"),
    ("uneven masses in a tree are left to the solver", "src/problem/open_islands.c",
     "(small && uneven[own])", "(small && false)", SHARING, "forces_of_a_heavy_ball_on_a_light_one_are_right_to_round_off"),
    ("offsets of the limit are not kept", "src/problem/sharing.c", "            write_offsets(p, &is[k]);\n", "",
     "unit.problem.sharing", "two_equal_contacts_bear_half_each_and_offsets_that_differ_by_noise_are_made_equal"),
    ("joints have the compliance of contacts", "src/problem/sharing.c", "p->compliance ? p->compliance[is->contact[i]] : 1", "1",
     "unit.problem.sharing", "a_contact_without_compliance_bears_all"),
    ("a row that depends on others bears nothing", "src/schemes/event_capturing_rk/phase_rows.c",
     "} else if (wanted && shared) {", "} else if (false) {",
     SHARING, "a_box_at_rest_bears_a_quarter_of_its_weight_on_each_corner"),
    ("coincident contacts count twice between events", "src/schemes/event_capturing_rk/phase_rows.c",
     "            e[i] = same;", "            e[i] = 1;", SHARING, "contacts_at_the_same_place_count_once"),
    ("a polygon in space by default", "src/kernels/friction.c", "s->model->dimension == 3 && !has_grain", "s->model->dimension == 4 && !has_grain",
     SHARING, "a_plate_that_spins_on_four_corners_slows_at_the_rate_of_equal_loads"),
    # impulses and the ledger
    ("one impulse times 1 + 1e-6", "src/kernels/assembly.c",
     "    a->info.fallbacks += fallbacks;\n",
     "    a->info.fallbacks += fallbacks;\n    if (a->problem.nc) {\n        a->solution.r[0] *= 1 + 1e-6;\n    }\n",
     SCHEMES, "every_step_is_certified_and_nothing_sinks_in"),
    ("impulse errors not seen beside a light body", "src/problem/residual.c",
     "    own->beside = beside_bodies(c, shares, k, own->number / root);", "    own->beside = 0;",
     "unit.problem.body_scales", "the_velocity_of_a_light_body_is_seen_beside_a_heavy_one"),
    ("joint errors not seen beside a light body", "src/problem/residual.c",
     "        beside = ss_worse(beside, beside_bodies(c, shares, j, number / root));\n", "",
     "unit.problem.body_scales", "a_joint_of_a_light_body_is_seen_beside_a_heavy_one"),
    ("momentum errors not seen beside a light body", "src/problem/residual.c",
     "            worst = c->body.speed[b] > 0 ?", "            worst = c->body.speed[b] < 0 ?",
     "unit.problem.body_scales", "the_momentum_of_a_light_body_is_seen_beside_a_heavy_one"),
    ("rounding of heavy forces taken for an error", "src/problem/residual.c",
     "        if (!(norm[b] <= c->body.rounding[b])) {", "        if (norm[b] > 0) {",
     "unit.problem.body_scales", "rounding_of_a_heavy_force_is_no_error_of_the_light_body"),
    ("a velocity lost beside a large impulse", "src/problem/residual.c",
     "y[i] == r[i] - step[i] ? step[i] : r[i] - y[i]", "r[i] - y[i]",
     "unit.problem.body_scales", "forces_so_large_that_velocities_drown_excuse_nothing"),
    ("speeds not passed on to bodies at rest", "src/problem/body_scales.c",
     "    pass_speeds(p, rows, out->speed);\n", "    (void)pass_speeds;\n",
     "unit.problem.body_scales", "a_body_to_which_nothing_happens_is_measured_by_the_speed_of_its_neighbours"),
    ("a solver believed that doubts its own answer", "src/sim/account.c",
     "    if (granted && !none) {", "    if (granted && !none && outcome == SS_CONVERGED) {",
     "unit.sim.driver", "a_right_solution_is_certified_whatever_the_solver_said_of_itself"),
    ("the stiffness of a step left in the problem after it", "src/kernels/assembly.c",
     "    p->A = a->mass;", "    p->A = p->A.diagonal.x ? p->A : a->mass;",
     "unit.kernels.assembly_again", "an_impact_after_a_step_with_springs_does_not_feel_them"),
    ("friction dropped from the ledger", "src/sim/ledger.c",
     "        *entry += motor ? work : work + drive + stab;\n",
     "        *entry += entry == &ledger->contact_friction ? 0 : motor ? work : work + drive + stab;\n",
     SCHEMES, LEDGER),
    ("stabilisation of contacts dropped from the ledger", "src/sim/ledger.c",
     "        ledger->stabilisation -= stab;\n", "", SCHEMES, LEDGER),
    ("joints dropped from the ledger", "src/sim/ledger.c",
     "&ledger->joints) += work - drive;\n", "&ledger->joints) += m->row_motor[i] ? work - drive : 0;\n",
     SCHEMES, LEDGER),
    ("driven bodies that pull joints dropped from the ledger", "src/sim/ledger.c",
     "        ledger->driven += drive;\n", "", SCHEMES, LEDGER),
    ("driven bodies that push contacts dropped from the ledger", "src/sim/ledger.c",
     "        ledger->driven -= motor ? 0 : drive;\n", "", MECHANISMS, "lift_raises_a_box_and_pays_for_it"),
    ("gravity dropped from the ledger", "src/sim/ledger.c",
     "            *entry[k] += work;\n", "            *entry[k] += k == SS_IMPULSE_GRAVITY ? 0 : work;\n",
     SCHEMES, LEDGER),
    # impact laws
    ("restitution off by a hundredth", "src/kernels/impact.c",
     "x->given[p->row[k]] = unilateral ? e[k] * x->compression[p->row[k]] : 0;",
     "x->given[p->row[k]] = unilateral ? 0.99 * e[k] * x->compression[p->row[k]] : 0;",
     AP97, "poisson_rod_has_every_digit_of_the_reference"),
    ("no decompression", "src/kernels/impact.c",
     "    return largest > 0 ? solve_phase(x, x->given) : SS_OK;\n", "    return SS_OK;\n",
     AP97, "poisson_rod_has_every_digit_of_the_reference"),
    ("e twice in the simplified law", "src/kernels/impact.c",
     "give_back(&x, common_restitution(&x, e))", "give_back(&x, 2 * common_restitution(&x, e))",
     AP97, "simplified_law_never_creates_energy"),
    ("a contact that leaves stopped by Newton's law", "src/kernels/impact.c",
     "(u < 0 || u > rest) ? e[k] * u : 0", "u < 0 * rest ? e[k] * u : 0",
     IMPACT, "a_contact_that_leaves_is_brought_back_and_strikes_in_turn"),
    ("contacts that an impact brings back left to approach", "src/kernels/impact.c",
     "        if (solvable && !any_returns(x)) {\n", "        if (solvable && (!any_returns(x) || round >= 0)) {\n",
     IMPACT, "a_contact_that_leaves_is_brought_back_and_strikes_in_turn"),
    # contacts and friction
    ("|u_T| instead of the polygon's gauge", "src/problem/contact_law.c",
     "return mu * ss_polygon_slip(rows, directions, direction, u + 1);",
     "return mu * (direction && directions && rows == 3 ? hypot(u[1], u[2]) : fabs(u[1]));",
     "unit.problem.residual", "an_exact_polygonal_solution_is_certified_by_the_polygon_gauge"),
    ("a contact frame swapped", "src/contact/contact.c",
     "const ss_twist_row row = ss_contact_direction(value, k);",
     "const ss_twist_row row = ss_contact_direction(value, m->dimension == 3 && k > 0 ? 3 - k : k);",
     AP97, "contact_forces_of_the_sliding_cube_add_up_in_the_world"),
    ("friction along the opposite tangent", "src/contact/contact.c",
     "const ss_twist_row row = ss_contact_direction(value, k);",
     "const ss_twist_row on = ss_contact_direction(value, k), back = { .lin = { on.lin[1], on.lin[0] } }, row = k > 0 ? back : on;",
     AP97, "contact_forces_of_the_sliding_cube_add_up_in_the_world"),
    ("a located collision accepted where its search has ended", "src/kernels/located_step.c",
     "    SS_TRY(x->c->attempt(x->c->user, *taken)); /* the search did not end on the length that it returns */\n", "",
     LOCATED, "callbacks_come_in_the_order_of_the_loop"),
    ("what has passed unseen ignored", "src/kernels/located_step.c",
     "u->hidden || u->rough ? 0.5 * taken : at_collision;\n", "u->rough ? 0.5 * taken : at_collision;\n", LOCATED, "what_has_passed_unseen_halves_the_substep"),
    ("a passage ignored by located steps", "src/kernels/located_step.c",
     "return u->inside < taken ? u->inside : ", "return ",
     LOCATED, "an_attempt_that_passes_through_something_is_made_again_up_to_there"),
    ("the place of a collision not looked at", "src/kernels/located_step.c",
     "    return look(x, *taken, left_out);", "    return SS_OK;",
     LOCATED, "what_only_the_place_of_a_collision_shows_is_met_before_it"),
    ("a border of features that hides an overlap", "src/kernels/vicinity.c",
     "return stays || ss_vicinity_has_passed(v, k, end)", "return ss_vicinity_has_passed(v, k, end)",
     "unit.kernels.vicinity", "a_witness_on_the_border_of_its_features_does_not_hide_an_overlap"),
    ("points of a rim that stay where the survey has them", "src/kernels/vicinity.c",
     "    if (known ? moved : !find_in(", "    if (known ? false && moved : !find_in(", AP97, "a_coin_that_rolls_on_its_rim_and_lies_down_does_not_sink_in"),
    ("points of a rim that need not settle", "src/kernels/vicinity.c",
     "    *hidden = !settles(v->work, moved) || *hidden;", "    (void)settles(v->work, moved);",
     AP97, "a_coin_that_rolls_on_its_rim_and_lies_down_does_not_sink_in"),
    ("overlaps of a whip left to the iteration on the gaps", "src/schemes/anitescu_potra.c",
     "SS_TRY(ss_euler_is_off(e, h, SS_TOL_FITS, halve));", "SS_TRY(ss_euler_is_off(e, h, SS_TOL_GROSS, halve));",
     AP97, "a_point_on_a_long_arm_of_a_body_that_turns_easily_does_not_sink_in"),
    ("impacts that leave faster than e times the approach passed over", "src/kernels/theta_energy.c",
     "SS_TRY(bounce > least ? island_gains(x, k, least, any) : SS_OK);", "SS_TRY(bounce > INFINITY ? island_gains(x, k, least, any) : SS_OK);",
     PASSING, "rods_that_turn_slowly_leave_the_floor_no_faster_than_they_came"),
    ("bodies that whirl left to the shortest substep of others", "src/kernels/theta_energy.c",
     "(whirling && !whirls(x, k))", "(whirling && (whirls(x, k) || k >= 0))",
     PASSING, "tiny_bodies_that_whirl_off_what_they_struck_keep_their_energy"),
    ("open contacts that forbid what they allow", "src/kernels/separation.c",
     "    SS_TRY(fewer ? solve(x, dq, found) : SS_OK);\n", "", "unit.schemes.no_overlap", "a_link_that_lies_flat_on_its_hinge_can_be_turned_back"),
    ("a passage ignored by Moreau's scheme", "src/kernels/theta.c",
     "    *again = met.any && met.before < x->h;\n", "    *again = false;\n",
     PASSING, "a_ball_that_a_force_throws_at_a_thin_wall_stays_on_its_side"),
    ("a pair with an active contact left to it whatever it tells", "src/kernels/passing.c",
     "            found = tells || path->h <= short_time(pair) ? HELD : UNSURE;\n", "            found = tells ? HELD : HELD;\n",
     PASSING, "a_hull_does_not_pass_the_edge_of_a_plate_beside_its_contact"),
    ("gyroscopic accelerations taken for a push", "src/kernels/body_speeds.c",
     "x->steady[i] = x->free->impulse[i] - gyroscopic[i];", "x->steady[i] = x->free->impulse[i] - 0 * gyroscopic[i];",
     PASSING, "a_box_that_whirls_off_a_wall_bounces_with_its_energy"),
    ("what misses is met by schatzman_paoli", "src/schemes/schatzman_paoli/reflection.c",
     "return x->around->passing->barred[k] && !isinf(x->around->slow[k]);", "return k < 0 && x->around;", PASSING, "a_rod_that_misses_a_peg_by_its_thickness_turns_on"),
    ("what misses is not barred", "src/kernels/passing.c",
     "        x->barred[k] = x->far[k] && alone && !meets(x, c);\n", "        x->barred[k] = false && alone;\n", PASSING, "a_bullet_that_misses_flies_on_as_if_nothing_were_there"),
    ("the chord in place of a cubic path", "src/contact/passage.c",
     "path->way ? path->h * (h10", "false ? path->h * (h10", PASSAGE, "a_cubic_path_is_followed_and_not_its_chord"),
    ("a rotation that is left out of a path's speed", "src/contact/passage.c",
     "return apart + x->loose + y->loose + p->radius[a] * x->spin + p->radius[b] * y->spin;", "return apart + x->loose + y->loose;",
     PASSAGE, "a_rod_that_turns_meets_a_peg_at_its_angle_also_after_whole_turns"),
    ("a gap that is not a number taken for an open one", "src/kernels/located_step.c",
     "        if (isnan(gap[k])) {\n", "        if (false) {\n", LOCATED, "a_gap_that_is_not_a_number_is_refused_by_name"),
    ("a velocity that is not a number taken for zero", "src/kernels/impulses.c",
     "return sqrt(ss_worse(square, 0));", "return sqrt(fmax(square, 0));",
     "unit.kernels.impulses", "a_velocity_that_is_not_a_number_fulfils_nothing"),
    ("free motion for a time that is forgotten", "src/kernels/free_motion.c",
     "    ss_forces_add(m->nv, h, x->by_class, x->impulse);\n", "    ss_forces_add(m->nv, h > 0, x->by_class, x->impulse);\n",
     "unit.kernels.free_motion", "forces_alone_change_velocities_by_their_impulse_over_the_mass"),
    ("gaps pushed back twice as fast", "src/kernels/euler.c",
     "            a->problem.w[row] += a->w_stabilise[row];\n", "            a->problem.w[row] += 2 * a->w_stabilise[row];\n",
     MECHANISMS, "bead_on_a_round_hill_keeps_to_it_far_better_than_first_order"),
    ("forces of the end of a step taken explicitly", "src/kernels/euler.c",
     "static bool has_stiff(const ss_euler *x) { return x->o.implicit &&", "static bool has_stiff(const ss_euler *x) { return false &&",
     IMPLICIT, "a_damper_divides_the_velocity_by_one_plus_hc_over_m"),
    ("free accelerations as if stiff forces were explicit", "src/kernels/euler.c",
     "    return has_stiff(x) ? ss_implicit_accelerations(", "    return false ? ss_implicit_accelerations(",
     IMPLICIT, "a_body_on_a_stiff_spring_rebounds_as_its_material_says"),
    ("what the new velocity adds to stiff forces dropped from the ledger", "src/kernels/implicit.c",
     "    add_part(x, SS_FORCE_SPRING, by_class);\n", "",
     IMPLICIT, "a_spring_and_a_damper_on_a_line_are_implicit_eulers_and_never_gain_energy"),
    ("stiff forces that do not see where driven bodies go", "src/kernels/implicit.c",
     "    ss_config_set(x->m, step->t + step->h, step->q, &x->c);\n", "    ss_config_set(x->m, step->t, step->q, &x->c);\n",
     IMPLICIT, "a_stiff_spring_follows_a_driven_body_without_delay"),
    ("the sideways stiffness of a spring from its length at the start", "src/model/stiff.c",
     "        s[1].x = ss_axpy(by, n, s[1].x);\n", "        (void)by;\n",
     IMPLICIT, "a_mass_on_a_spring_as_stiff_as_a_rod_goes_on_swinging"),
    ("the push of compressed springs left in the matrix", "src/model/stiff.c",
     "        if (x->values[i] > 0) {\n", "        if (x->values[i] > 0 && rows < 0) {\n",
     "unit.model.stiff", "derivatives_are_symmetric_and_never_positive"),
    ("forces of blocks without what their velocity has in the matrix", "src/model/stiff.c",
     "        force[i] -= ss_dense_dot(n, own_v + i * n, v + first);\n", "        force[i] -= 0;\n",
     IMPLICIT, "a_user_block_is_implicit_but_for_what_only_turns_its_velocity"),
    ("the gyroscopic impulse of explicit Euler", "src/kernels/euler.c",
     "    ss_model_gyroscopic_impulse(m, x->start.v, h, x->forces.impulse + SS_FORCE_GYROSCOPIC * m->nv);\n", "",
     AP97, "a_body_that_tumbles_freely_keeps_its_energy_and_the_size_of_its_angular_momentum"),
    ("work that others take back asked of contacts that act alone", "src/kernels/euler.c",
     "0.5 * unexplained > WILD *", "0.5 * unexplained > 1e300 *",
     PASSING, "a_cylinder_that_strikes_a_box_is_not_pushed_by_rows_of_another_turn"),
    # energy from nowhere
    ("stabilisation named whatever it does", "src/sim/audit_impulses.c",
     "fmax(w, -at(by->owed, row))", "fmax(w, -1e300 * (1 + at(by->owed, row)))",
     AUDIT, "stabilisation_may_make_the_speed_that_undoes_an_overlap_in_a_step_and_no_more"),
    ("bounces passed over", "src/sim/audit_impulses.c",
     "    const bool bounces = bounce > least, ", "    const bool bounces = bounce > 1e300 * (1 + least), ",
     AUDIT, "an_impact_that_leaves_faster_than_it_came_is_an_alarm_that_names_the_contact"),
    ("losses of any step before taken back", "src/sim/audit_impulses.c",
     "    a->audit.paid = sim->audit.scope.two_steps ? lost + 0.5 * paid : 0;\n", "    a->audit.paid = lost + 0.5 * paid;\n",
     AUDIT, "an_impact_over_two_steps_may_take_back_what_the_first_has_lost_and_no_more"),
    ("energy of slip that reverses not counted", "src/sim/audit_impulses.c",
     "gains = slip > SS_TOL_GAIN * lighter;", "gains = slip > 1e300 * (1 + lighter);",
     AUDIT, "energy_that_friction_makes_in_an_impact_is_the_laws_own_and_counted"),
    ("a problem that is not solved goes unsaid", "src/sim/account.c",
     "        on_remark(&a->report, SS_REMARK_UNSOLVED,", "        if (false) on_remark(&a->report, SS_REMARK_UNSOLVED,",
     "unit.sim.driver", "a_wrong_solution_is_not_certified_whatever_the_solver_said"),
    ("what contacts take from a body that turns left to the torques", "src/sim/audit_impulses.c",
     "    if (fabs(entered - work) < fabs(entered)) {", "    if (false && work > 0) {",
     AUDIT, "what_contacts_take_from_a_body_that_turns_without_work_is_no_energy_of_the_torques"),
    ("positions moved at the end of a step not named", "src/sim/audit.c",
     "ss_status ss_audit_end(ss_account *a, const ss_state *end) { return enter_jump(a, end->t, a->sim->audit.q, end->q); }",
     "ss_status ss_audit_end(ss_account *a, const ss_state *end) { (void)a, (void)end; return SS_OK; }",
     AUDIT, "positions_moved_without_a_velocity_are_named_work_wherever_they_are_moved"),
    ("dampers that drive passed over", "src/sim/audit.c",
     "    const double error = forces + dampers + a->audit.made;\n", "    const double error = forces + 0 * dampers + a->audit.made;\n",
     AUDIT, "a_damper_that_drives_is_an_alarm"),
    ("springs that driven bodies stretch not named", "src/sim/audit.c",
     "    a->ledger.driven_springs += ", "    a->ledger.driven_springs += 0 * ",
     "unit.sim.contradiction", "a_driven_body_that_stretches_a_spring_is_named_work"),
    ("contradictions passed over", "src/sim/contradiction.c",
     "    if (row >= 0) {\n", "    if (row > m->nj) {\n",
     "unit.sim.contradiction", "two_motors_and_a_motor_on_a_weld_are_named_by_every_scheme"),
    # what pages claim
    ("overlaps left where Newton's method converges slowly", "src/kernels/separation.c",
     "    if (moved && !result.converged) {\n", "    if (moved && result.converged) {\n",
     OVERLAP, "moreau_projected_ends_every_step_of_random_scenes_without_overlap"),
    ("an overlap that stays passed over in silence", "src/kernels/separation.c",
     "        s->report->remark(s->report, SS_REMARK_OVERLAP, &x->worst);\n", "",
     OVERLAP, "a_body_that_no_displacement_frees_is_said_to_overlap"),
    ("features that come into play taken for overlaps of the start", "src/schemes/schatzman_paoli/reflection.c",
     " && x->around->outside[k] <= 0;", ";", OVERLAP,
     "schatzman_paoli_closes_gaps_of_polytopes_by_its_steps_alone"),
    ("what a substep leaves not put apart", "src/schemes/schatzman_paoli/schatzman_paoli.c",
     "    SS_TRY(separate(x, false));\n", "", OVERLAP,
     "schatzman_paoli_without_restitution_ends_every_step_of_random_scenes_without_overlap"),
    ("Newton's method on gaps ended by one step that gains nothing", "src/schemes/schatzman_paoli/paoli_newton.c",
     ".stall = PAOLI_STALL * x->s->tol,", ".stall = 1e6 * PAOLI_STALL * x->s->tol,", OVERLAP,
     "schatzman_paoli_closes_gaps_of_polytopes_by_its_steps_alone"),
    ("slip where the middle of the step is", "src/kernels/theta.c",
     "            a->problem.w[row + i] += left * rate[i];\n", "            a->problem.w[row + i] += i == 0 ? left * rate[i] : 0;\n",
     SURFACES, "what_sticks_to_a_turning_table_stays_there_to_order_2"),
    ("driven surfaces at their mean velocity", "src/kernels/theta.c",
     "    ss_config_bend(m, x->start.t, x->start.t + x->h, &x->there);\n", "",
     SURFACES, "what_sticks_to_a_surface_that_accelerates_follows_it_to_order_2"),
    ("a kink taken for an acceleration", "src/model/config.c",
     "return from_mean * d[2] > 0 ? ", "return d[2] == 0 ? 2 * from_mean : from_mean * d[2] > 0 ? ",
     SURFACES, "a_surface_with_a_kink_in_its_path_takes_along_no_faster_than_it_moves"),
    ("a table that falls away caught up with by its mean velocity", "src/kernels/theta_contacts.c",
     " - 0.5 * x->h * ss_theta_drive_rate(x, k, 0);", ";",
     SURFACES, "a_mass_flies_when_its_table_falls_faster"),
    ("joints closed by their rows at the start alone", "src/schemes/schatzman_paoli/paoli_newton.c",
     "    x->newton.ends = x->newton.ends || first;\n", "    x->newton.ends = false;\n",
     "unit.schemes.schatzman_paoli_turning", "a_parallelogram_passes_its_flat_positions"),
    ("rotations of a step without their tangent map", "src/schemes/schatzman_paoli/joint_step.c",
     "    return ss_axpy(second, ss_cross(x, side), ss_axpy(first, side, y));\n", "    return ss_axpy(0 * second, side, ss_axpy(0 * first, side, y));\n",
     "unit.schemes.schatzman_paoli_turning", "the_hinge_of_a_wheel_that_turns_far_in_a_step_closes_in_few_iterations"),
    ("impacts of bodies that spin not cut", "src/schemes/schatzman_paoli/schatzman_paoli.c",
     "        if ((content && !makes_energy) || ", "        if (content || ",
     "unit.schemes.schatzman_paoli_turning", "an_elastic_impact_of_a_rod_that_spins_makes_no_energy"),
    ("the work of joints passed over", "src/schemes/schatzman_paoli/joint_work.c",
     "        *found = !(fabs(twice[k]) <= ", "        *found = isnan(twice[k]) && !(fabs(twice[k]) <= ",
     "unit.schemes.schatzman_paoli_turning", "joints_of_light_links_that_carry_a_heavy_one_do_not_work"),
    ("joints that contacts contradict closed to round-off", "src/schemes/schatzman_paoli/paoli_newton.c",
     "ss_worse(apart, joints / PAOLI_GAPS)", "ss_worse(apart, joints)",
     "unit.schemes.schatzman_paoli_turning", "a_parallelogram_pressed_flat_settles_with_its_links_on_each_other"),
    ("hard contacts in the step towards the joints", "src/schemes/schatzman_paoli/joint_step.c",
     "SLACK = 1e-6;", "SLACK = 1e-12;",
     "unit.schemes.schatzman_paoli_turning", "a_parallelogram_pressed_flat_settles_with_its_links_on_each_other"),
    ("friction at its bound taken for sticking", "src/schemes/schatzman_paoli/joint_step.c",
     "BEYOND = 1 + 1e-6;", "BEYOND = 1;",
     "unit.schemes.schatzman_paoli_turning", "a_parallelogram_pressed_flat_settles_with_its_links_on_each_other"),
    ("gyroscopic impulses of whirling bodies iterated", "src/kernels/impulses.c",
     " || is_fast(x, x->there.point + m->nv + i);", ";",
     "unit.schemes.schatzman_paoli_turning", "a_grain_that_an_impact_sends_whirling_makes_no_energy"),
    ("what whirls and does not bounce not cut", "src/schemes/schatzman_paoli/strikes.c",
     "        *found = counts(s, turn);\n", "        *found = counts(s, 0 * turn);\n",
     "unit.schemes.schatzman_paoli_turning", "a_point_that_strikes_a_corner_is_not_pushed_on_by_the_other_sides"),
    ("impacts of whirling bodies cut no shorter than others", "src/schemes/schatzman_paoli/schatzman_paoli.c",
     " && !(strikes->makes_energy && strikes->whirls);", ";",
     "unit.schemes.schatzman_paoli_turning", "a_point_that_strikes_a_corner_is_not_pushed_on_by_the_other_sides"),
    ("gaps closed better than the solver closes them", "src/schemes/schatzman_paoli/paoli_newton.c",
     "    return fmax(PAOLI_GAPS, ss_stepper_touch(x->s) / (PAOLI_STALL * x->start.position_tol));\n", "    return x ? PAOLI_GAPS : 0;\n",
     "unit.schemes.schatzman_paoli", "gaps_are_closed_as_well_as_the_solver_closes_them"),
    ("contacts that last with the rows of the end", "src/schemes/schatzman_paoli/reflection.c",
     "return x->rows.held[k] ? &x->rows.start : looked_at(x, k);", "return looked_at(x, k);",
     "unit.schemes.schatzman_paoli_turning", "a_contact_pressed_by_a_motor_does_no_work_while_both_turn"),
    ("the end of an impact taken for all of it", "src/sim/audit_impulses.c",
     "    const bool ends = ends_impact(g, k);\n", "    const bool ends = ends_impact(g, k) && false;\n",
     AUDIT, "energy_that_friction_makes_in_an_impact_of_two_steps_is_the_laws_own_too"),
    ("slip where the gap is taken", "src/schemes/schatzman_paoli/reflection.c",
     "        a->problem.w[row + i] -= after * rate[i];\n", "        (void)after;\n",
     SURFACES, "what_sticks_to_a_turning_table_stays_there_to_order_2"),
    ("friction that moves nothing in galpha_ggl", "src/schemes/galpha/levels.c", "0.5 * x->h * z->r[", "0 * x->h * z->r[",
     GALPHA, "what_sticks_on_a_ramp_does_not_creep_and_what_slides_falls_as_it_should"),
    ("contacts of galpha_ggl closed by free motion alone", "src/schemes/galpha/point.c",
     "        return fmin(x->end.gap_free[k], x->end.gap[k]);", "        return x->end.gap_free[k];",
     GALPHA, "a_contact_that_others_press_shut_is_closed_at_velocity_level_too"),
    ("pseudo-accelerations of galpha_ggl from a step of another length", "src/schemes/galpha/rule.c",
     "w + ratio * (past->mean[i] - w)", "past->mean[i]", GALPHA, "uneven_steps_keep_the_order"),
    ("accelerations of galpha_ggl kept through impacts", "src/schemes/galpha/account.c", "x->p->restart && has_struck(x) ? 0 : x->h", "has_struck(x) ? x->h : x->h",
     GALPHA, "accelerations_before_an_impact_do_not_disturb_the_force_of_a_joint_after_it"),
    ("smooth forces of joints not shown by galpha_ggl", "src/schemes/galpha/levels.c", "z->lam_jump[i] + x->h * z->lam[i]", "z->lam_jump[i] + 0 * z->lam[i]",
     GALPHA, "a_pendulum_strikes_a_wall_and_rests_on_it_with_the_reactions_of_statics"),
    ("impacts of galpha_ggl without restitution", "src/schemes/galpha/levels.c", " + a->contacts.c[k].e * x->start.u[", " + 0 * x->start.u[",
     GALPHA, "a_rocking_block_loses_the_energy_of_its_impacts_and_stands_on_both_corners"),
    ("a triple root of galpha_ggl off rho_inf", "src/schemes/galpha/rule.c", "r.beta = 0.25 *", "r.beta = 0.26 *",
     GALPHA, "the_rule_has_the_numbers_of_the_paper"),
    ("redundant rows of positions ask for something in galpha_ggl", "src/schemes/galpha/levels.c",
     "m->row_motor[i] || (a->redundant && a->redundant[i]);", "m->row_motor[i];",
     GALPHA, "a_redundant_linkage_goes_through_its_singular_position_without_drift"),
    ("gradients of joints twice as large", "src/model/joints.c", "        lam[k] = 1;\n        stiffness_of", "        lam[k] = 2;\n        stiffness_of",
     "unit.model.joints", "joint_gradient_is_the_change_of_the_rates_along_the_retraction"),
    ("gradients of contacts by their normals", "src/contact/stiffness.c", "double r[3] = { k == 0, k == 1, k == 2 }", "double r[3] = { 1, k == 1, k == 2 }",
     CONTACTS, "stiffness_of_contacts_of_every_pair_of_shapes_is_the_change_of_their_forces"),
    # the model
    ("the gyroscopic force forgotten", "src/model/forces.c",
     "        ss_v3_to(ss_cross(ss_rotate(m->body_inertia[body], w), w), gyro + 3);\n",
     "        ss_v3_to(ss_scale(0, w), gyro + 3);\n",
     "unit.model.forces", "the_gyroscopic_force_is_workless_and_is_eulers"),
    ("(|d|^2 - L^2)/L in the distance joint", "src/model/joints/distance.c",
     "    g[0] = (ss_dot(d, d) - L * L) / (2 * L);\n", "    g[0] = (ss_dot(d, d) - L * L) / L;\n",
     "conformance.joints", "every_joint_has_exact_derivatives_near_and_away_from_its_reference"),
    # turns of hinges and restitution of limits
    ("the angle of a hinge in the turn around zero", "src/model/turns.c",
     "    return angle + turn * round(", "    return angle + 0 * turn * round(",
     TURNS, "a_limit_just_below_half_a_turn_stops_a_hinge_that_steps_over_it"),
    ("turn counters that stand still", "src/model/turns.c",
     "        out[i] = q[i] + h * (", "        out[i] = q[i] + 0 * h * (",
     TURNS, "turns_are_counted_where_a_motor_turns_a_hinge_by_more_than_half_a_turn_in_a_step"),
    ("both bodies of a hinge counted alike", "src/model/turns.c",
     "{ return end == 0 ? -1 : 1; }", "{ return end == 0 ? 1 : 1; }",
     TURNS, "limits_at_10_and_minus_20_radians_stop_hinges_of_any_axis_in_every_scheme"),
    ("turns of driven bodies not counted", "src/model/turns.c",
     "            sum += sign_of(k) * ss_dot(axis, m->body_motion_axis[b]) *", "            sum += 0 * sign_of(k) * ss_dot(axis, m->body_motion_axis[b]) *",
     "unit.model.joints", "turns_of_a_driven_body_count_along_the_axis_of_the_hinge_only"),
    ("turns of a driven body counted whatever its axis", "src/model/turns.c",
     "ss_dot(axis, m->body_motion_axis[b]) * ss_model", "ss_norm(axis) * ss_model",
     "unit.model.joints", "turns_of_a_driven_body_count_along_the_axis_of_the_hinge_only"),
    ("a hinge that begins in the turn around zero", "src/model/turns.c",
     "joint->turns.zero = counted(m, joint, m->q0) - start;", "joint->turns.zero = counted(m, joint, m->q0) - 0 * start;",
     TURNS, "a_hinge_that_starts_in_another_turn_has_its_limits_there"),
    ("turn counters that are not settled", "src/sim/driver.c",
     "    ss_turns_settle(m, to->t, to->q);\n", "",
     TURNS, "the_counter_of_a_hinge_between_tumbling_bodies_is_its_angle_after_every_step"),
    ("turn counters left out of checkpoints", "src/sim/checkpoint.c",
     "transfer(c, s->q, (size_t)m->nq * sizeof(double))", "transfer(c, s->q, (size_t)ss_model_nq(m) * sizeof(double))",
     TURNS, "a_run_that_is_restarted_in_its_third_turn_goes_on_with_the_same_bits_to_a_limit_in_the_fifth"),
    ("turn counters shown as coordinates", "src/model/queries.c",
     "{ return m->nq - m->counters; }", "{ return m->nq; }",
     TURNS, "limits_at_10_and_minus_20_radians_stop_hinges_of_any_axis_in_every_scheme"),
    ("dense output by the shortest rotation", "src/events/hermite.c",
     "    ss_model_difference_near(m, q0, q1, x, d);\n", "    ss_model_difference(m, q0, q1, d);\n",
     TURNS, "dense_output_follows_a_body_that_turns_by_more_than_half_a_turn_in_a_step"),
    ("stages of a free wheel measured against their own round-off", "src/schemes/event_capturing_rk/phase_residual.c",
     "            out[i] += fabs(p->point.v[i]) * spin;\n", "            out[i] += 0 * spin;\n",
     TURNS, "limits_at_10_and_minus_20_radians_stop_hinges_of_any_axis_in_every_scheme"),
    ("limits without their restitution", "src/contact/finder.c",
     "                contact.e = joint->e;\n", "                contact.e = 0 * joint->e;\n",
     "unit.schemes.limits", "what_strikes_a_limit_comes_back_with_e_times_its_speed_in_every_joint_and_scheme"),
    ("limits that bounce taken by a scheme that cannot", "src/sim/sim.c",
     "        if (sim->model->joint[j].e > 0) {\n", "        if (sim->model->joint[j].e > 1) {\n",
     "unit.schemes.limits", "a_scheme_for_inelastic_contact_refuses_limits_that_bounce"),
    # the solver
    ("LU never refined", "src/math/sparse_lu.c",
     "remainder_of(A, b, x, lack) > SS_TOL_ROUND_OFF", "remainder_of(A, b, x, lack) > 1",
     "unit.math.sparse_lu", "refinement_makes_every_row_hold_to_round_off_where_pivots_are_small"),
    ("no stiffness beyond the limit where impulses drift", "src/solvers/alm/alm.c", "BEYOND = 1e3", "BEYOND = 1",
     "unit.solvers.alm", "an_impulse_drifts_to_the_contact_that_carries_it_in_a_few_steps"),
    ("a pivot that is no number forgotten by the next one", "src/math/ldl.c",
     "        f->smallest = skipped ? f->smallest : -ss_worse(-f->smallest, -relative); /* a NaN stays */\n",
     "        f->smallest = skipped || relative >= f->smallest ? f->smallest : relative;\n",
     "unit.math.ldl", "a_pivot_that_is_no_number_is_not_forgotten_by_the_pivots_after_it"),
    ("the first of tied rows taken instead of the lexicographic one", "src/solvers/lemke/pivot.c",
     "    for (int j = 0; j < t->n && count > 1; j++) {\n", "    for (int j = t->n; j < t->n && count > 1; j++) {\n",
     "unit.solvers.lemke.pivot", "ties_do_not_make_the_path_go_round_in_circles"),
    ("the basis of the last step forgotten", "src/solvers/lemke/lemke.c",
     "known = basis_given(run, lcp);", "known = basis_given(run, lcp) && false;",
     "unit.solvers.lemke_random", "a_problem_that_repeats_is_recognised_by_its_basis"),
    # contacts and joints that determine each other
    ("contacts that joints block left in the problems of a step", "src/kernels/blocked.c",
     "*blocked = without > 0 && with_joints <= SS_TOL_REDUNDANT * without;", "*blocked = false;",
     "unit.schemes.blocked_contacts", "bodies_that_are_welded_together_and_touch_turn_on_in_every_scheme"),
    ("masses taken for joints that block", "src/kernels/blocked.c", "            block[i] /= mass;", "            block[i] /= 1 + 0 * mass;",
     "unit.kernels.blocked", "a_light_body_that_is_welded_to_a_heavy_one_is_not_blocked"),
    ("a contact that joints close goes unnamed", "src/solvers/solver.c", "        info->residual.worst = contact;", "        (void)contact;",
     "unit.solvers.blocked", "a_contact_that_joints_close_is_infeasible_and_named_by_every_solver"),
    ("rows that were redundant at the start enforced far off the joints", "src/kernels/projection.c",
     "    if (!*satisfied && p->redundant) {", "    if (false) {",
     "unit.schemes.blocked_contacts", "a_ring_of_links_that_turns_fast_holds_together_in_every_scheme"),
    ("a corner that passed a face taken for one beside it", "src/kernels/vicinity.c",
     "    return gap >= 0 && outside <= 0 && end->gap < 0 && end->outside > 0 &&", "    return gap >= 0 && outside <= 0 && end->gap < 0 && end->outside > INFINITY &&",
     "unit.kernels.vicinity", "what_goes_through_a_face_and_leaves_it_below_has_passed"),
    ("corners that come onto a face within a step left out", "src/schemes/anitescu_convex.c",
     "        } else if (may_come(e, p, k)) {", "        } else if (false && may_come(e, p, k)) {",
     "unit.schemes.blocked_contacts", "a_corner_that_enters_another_face_within_a_step_does_not_overlap"),
    ("joints that do not fit certified", "src/sim/account.c",
     "(kind == SS_REMARK_JOINTS && !lets_joints_drift(a->sim))", "(kind == SS_REMARK_JOINTS && false)",
     "unit.sim.measure", "joints_that_are_off_by_more_than_a_millionth_are_told_and_not_certified"),
    # Gauss-Seidel and the chain of solvers
    ("velocities that follow impulses times 1 + 1e-6", "src/problem/sweep_visits.c",
     "        apply(&s->by_velocity, k, c->rows, dr);\n",
     "        dr[0] *= 1 + 1e-6;\n        apply(&s->by_velocity, k, c->rows, dr);\n",
     "unit.solvers.nsgs", "all_laws_mixed_are_certified_with_joints_and_redundant_contacts"),
    ("rows that joints hold are pushed", "src/problem/sweep_pieces.c",
     "        clear_immobile(s, k, Y, SS_TOL_IMMOBILE * SS_TOL_IMMOBILE, W);", "        (void)clear_immobile;",
     "unit.solvers.nsgs", "velocities_are_those_of_lemke"),
    ("articulations moved as if they were loose", "src/problem/sweep_pieces.c",
     "    if (!jointed && !coupled) {\n", "    if (!coupled) {\n",
     "unit.solvers.nsgs", "a_chain_that_rests_on_the_floor_is_certified_to_the_default_tolerance"),
    ("rows that joints hold are pushed where springs are near", "src/problem/sweep_pieces.c",
     "        clear_immobile(s, k, Y, SS_TOL_CANCELLED, W);", "        (void)0;",
     "unit.problem.clusters", "a_row_that_joints_hold_has_no_impulse_although_springs_are_near"),
    ("the same in W", "src/problem/delassus.c",
     "    return clear_immobile(w, rows, row, W);", "    (void)clear_immobile;\n    return SS_OK;",
     "unit.problem.clusters", "a_row_that_joints_hold_has_no_impulse_although_springs_are_near"),
    ("coupled clusters solved by their blocks", "src/problem/kkt.c",
     "    for (int k = 0; k < kkt->coupled.count; k++) {\n        SS_TRY(solve_coupled(", "    for (int k = 0; k < 0; k++) {\n        SS_TRY(solve_coupled(",
     "unit.problem.clusters", "every_cluster_solves_its_own_part_of_the_equations"),
    ("stored zeros couple bodies", "src/problem/clusters.c",
     "            if (S->x[e] != 0) {\n", "            if (S->p) {\n",
     "unit.problem.clusters", "joints_and_couplings_make_clusters_and_stored_zeros_do_not"),
    ("associated laws take off like Coulomb's", "src/problem/one_contact.c",
     "    if (!is_associated(c)) {\n        return q[0] >= 0;\n", "    if (!is_associated(c) || q[0] >= 0) {\n        return q[0] >= 0;\n",
     "unit.problem.one_contact", "every_law_is_solved_exactly_for_positive_definite_W"),
    ("slip along friction instead of against it", "src/problem/one_contact.c",
     "    if (!(s->t >= 0 && s->along <= 0)) {\n", "    if (!(s->t >= 0 && s->along >= 0)) {\n",
     "unit.problem.one_contact", "every_law_is_solved_exactly_for_positive_definite_W"),
    ("the worst answer kept instead of the best", "src/solvers/auto/auto.c",
     "worst(run->info) < worst(&run->best_info)", "worst(run->info) > worst(&run->best_info)",
     "unit.solvers.auto", "a_step_down_the_chain_is_counted_and_keeps_the_best"),
    ("a step down that is not counted", "src/solvers/auto/auto.c", "        run->info->fallbacks++;\n", "",
     "unit.solvers.auto", "a_step_down_the_chain_is_counted_and_keeps_the_best"),
    ("a ray that is no proof", "src/solvers/lemke/lemke.c",
     "    return work < -SS_TOL_INFEASIBLE * size;\n", "    return work > SS_TOL_INFEASIBLE * size;\n",
     "unit.solvers.lemke", "walls_that_close_on_a_particle_are_reported_as_a_ray"),
    ("solvers go on where there is a proof", "src/solvers/auto/auto.c",
     "(outcome == SS_RAY && (run->work->effort & SS_EFFORT_DECLINES)) || ", "",
     "unit.solvers.auto", "a_proof_that_there_is_no_solution_ends_the_chain_for_a_caller_that_can_do_without"),
    ("substeps halved although the gaps were left out", "src/schemes/anitescu_potra.c",
     "!e->o.old_moves && !e->fault.unsolvable;\n", "!e->o.old_moves;\n",
     "conformance.bounded", "a_pinned_body_that_scrapes_takes_a_bounded_amount_of_work_in_every_step"),
    ("a step that nobody can interrupt", "src/sim/driver.c",
     "ss_context_watch(sim->ctx, sim->asked.interrupt)", "ss_context_watch(sim->ctx, NULL)",
     "unit.sim.interrupt", "a_step_of_any_scheme_ends_on_an_interrupt_and_leaves_no_trace"),
    ("sweeps that go on after an interrupt", "src/solvers/nsgs.c",
     "            SS_TRY(ss_check_interrupt(run->work->ctx));\n", "",
     "unit.sim.interrupt", "every_solver_ends_on_an_interrupt_in_its_own_loop"),
    # shapes and pairs
    ("the curvature of a circle's lowest point with the other sign", "src/geom/gap_circle.c",
     "    return dot_dd(n, D) - gap->ra * s_dd;\n", "    return dot_dd(n, D) + gap->ra * s_dd;\n",
     "unit.geom.cylinder_properties", "the_lowest_point_of_a_circle_has_the_curvature_of_its_gap"),
    ("a product of inertia of hulls off by a hundredth", "src/geom/shape_hull.c",
     "    J[4] -= v / 20 * x.x * x.z;\n", "    J[4] -= v / 20.2 * x.x * x.z;\n",
     "unit.geom.hull_mass", "mass_properties_of_affine_images_are_exact"),
    ("a product of inertia of polygons with the other sign", "src/geom/shape_polygon.c",
     "        out.inertia[3] -= c / 12 * ", "        out.inertia[3] += c / 12 * ",
     "unit.geom.hull_mass", "mass_properties_of_affine_images_are_exact"),
    ("the last box of a leaf meets nobody", "src/geom/broad_phase.c",
     "a == b ? i + 1 : b->first, b->first + b->count));", "a == b ? i + 1 : b->first, b->first + b->count - (b->count > 3)));",
     "unit.geom.broad_phase", "pairs_are_those_of_the_double_loop"),
    ("boxes that only touch are no pair", "src/geom/broad_phase.c",
     "b->lo.x <= a->hi.x", "b->lo.x < a->hi.x",
     "unit.geom.broad_phase", "touching_boxes_are_a_pair_and_a_box_that_is_not_a_number_is_none"),
    ("three contacts of a face kept instead of four", "src/contact/reduce.c",
     "    if (fourth >= 0) {\n", "    if (fourth >= 0 && dimension == 2) {\n",
     "unit.contact.reduce", "a_box_on_a_plane_keeps_its_four_corners"),
    # result files
    ("a contact's name is written again with every record", "src/io/result_h5.c",
     "return *number < before ? SS_OK :", "return *number < before && before < 0 ? SS_OK :",
     "unit.io.result_columns", "a_contact_has_its_name_once_and_its_number_in_every_record"),
    ("names of contacts are not looked up when the table grows", "src/io/names.c",
     "        *find_slot(table, table->list.text[k]) = k;\n", "        table->slot[k] = k;\n",
     "unit.io.names", "numbers_count_up_in_the_order_of_first_use_and_stay"),
    ("a write of lines goes beyond its page", "src/io/lines.c",
     "    if (n <= left) {\n", "    if (n >= 0) {\n",
     "unit.io.lines", "a_write_ends_with_a_line_and_stays_in_its_page_unless_it_is_one_line"),
    ("a full disk leaves the start of a line", "src/io/lines.c",
     "at < 0 ? at : at + whole_lines(text, done)", "at < 0 ? at : at + done",
     "unit.io.lines", "a_disk_that_is_full_after_any_number_of_bytes_keeps_all_whole_lines"),
    ("chunks without a check sum", "src/io/h5.c",
     "    if (!c->any_length) { /*", "    if (c->any_length && c->rank > 1) { /*",
     "unit.io.damage", "a_flipped_bit_of_a_result_is_noticed_or_changes_nothing"),
    ("headers without a check sum", "src/io/h5.c",
     "H5F_LIBVER_V18, H5F_LIBVER_V18", "H5F_LIBVER_EARLIEST, H5F_LIBVER_V18",
     "unit.io.damage", "a_flipped_bit_of_a_contact_problem_is_noticed_or_changes_nothing"),
    ("chunks that are missing are read as zeros", "src/io/h5_text.c",
     "while (held < chunks && holds_chunk(t->set, rows, held)) {", "while (held < chunks) {",
     "unit.io.result_read", "rows_whose_data_are_missing_are_left_out"),
    ("two writers have the same file", "src/base/claim.c",
     "    if (fcntl(c->file, F_OFD_SETLK, &whole) == 0) {", "    if (whole.l_type == F_WRLCK) {",
     "unit.io.claims", "a_second_writer_is_refused_and_the_first_goes_on"),
    ("the claim of a checkpoint is lost with the first save", "src/io/checkpoint_file.c",
     "        c->held = c->next;\n", "        ss_claim_release(&c->next);\n",
     "unit.io.claims", "a_checkpoint_has_one_writer_from_open_to_close"),
    ("a file left behind that was only claimed", "src/io/writer.c",
     "    if (w->claim.file >= 0 && w->claim.fresh) {\n", "    if (w->claim.file >= 0 && !w->claim.fresh) {\n",
     "unit.io.claims", "a_writer_that_is_closed_before_it_begins_leaves_everything_as_it_was"),
    ("a flush that is asked for does nothing", "src/io/writer.c",
     "    ss_status status = w->failed ? SS_OK : flush_older(w, age);\n", "    ss_status status = w->failed ? SS_OK : flush_older(w, age + 1e9);\n",
     "unit.io.claims", "what_waits_is_in_the_file_after_a_flush"),
    # problems from files
    ("H read as it is stored, not transposed", "src/io/fclib_read.c",
     'under(x->root, "H", name), true, x->rows, p->nv, &p->H));', 'under(x->root, "H", name), false, x->rows, p->nv, &p->H));',
     "unit.io.fclib_read", "a_global_problem_is_transposed_and_changes_the_sign_of_its_equalities"),
    ("equalities with FCLIB's sign", "src/io/fclib_read.c", "        p->c[k] = -p->c[k];\n", "        p->c[k] = +p->c[k];\n",
     "unit.io.fclib_read", "a_global_problem_is_transposed_and_changes_the_sign_of_its_equalities"),
    # exact solutions: a digit or a sign
    ("a flight of the ball longer by a millionth", "src/exact/bouncing_ball.c",
     "    b->flight = 2 * b->fall.hit", "    b->flight = 2.000002 * b->fall.hit",
     BALL, "ball_of_bac14_hits_when_the_paper_says"),
    ("the speed after an impact without its restitution", "src/exact/bouncing_ball.c",
     "double up = b->fall.hit * exp(n * b->log_e);", "double up = b->fall.hit * exp((n - 1) * b->log_e);",
     BALL, "ball_of_aca09_follows_the_corrected_equation_10"),
    ("the damper of the oscillator with the other sign", "src/exact/oscillator.c",
     "    return even - x->z * kick(x, s);\n", "    return even + x->z * kick(x, s);\n",
     "unit.exact.oscillator", "oscillator_of_aca09_has_the_known_impacts_and_end"),
    ("a term of the oscillator's series off by one", "src/exact/oscillator.c",
     "/ (n * (n - 1));", "/ (n * (n + 1));",
     "unit.exact.oscillator", "oscillator_obeys_its_equations_for_every_damping_spring_and_load"),
    ("a term of the block's path off by a thousandth", "src/exact/coulomb.c",
     "double term = 1.0 / 6, sum = 0;", "double term = 1.0 / 6.006, sum = 0;",
     "unit.exact.stick_slip", "block_obeys_newton_and_coulomb"),
    ("slip that begins with the fall of the force", "src/exact/coulomb.c",
     "    return B > 0 ? a : 0.5 * full_turn - a;\n", "    return B < 0 ? a : 0.5 * full_turn - a;\n",
     "unit.exact.stick_slip", "block_slips_when_the_paper_says"),
    ("the projectile's way across with the other sign", "src/exact/projectile.c",
     "(c2 * decayed(2 * k - 1, p) + b2", "(c2 * decayed(2 * k - 1, p) - b2",
     "unit.exact.projectile", "stone_thrown_across_a_slope_stops_at_a_known_place"),
    ("the projectile's friction at landing off by a millionth", "src/exact/projectile.c",
     "double impulse = p->floor.mu * p->fall.hit", "double impulse = 1.000001 * p->floor.mu * p->fall.hit",
     "unit.exact.projectile", "particle_of_ani06_lands_slides_and_goes_on_as_computed_by_hand"),
    ("the double pendulum's centrifugal force with the other sign", "src/exact/double_pendulum.c",
     "+ swing * w[0] * w[0] };", "- swing * w[0] * w[0] };",
     "unit.exact.double_pendulum", "the_double_pendulum_of_the_paper_ends_where_it_should"),
    ("the double pendulum's impulse off by a millionth", "src/exact/double_pendulum.c",
     "p = -(1 + c->e[k]) * u", "p = -(1.000001 + c->e[k]) * u",
     "unit.exact.double_pendulum", "the_double_pendulum_of_the_paper_ends_where_it_should"),
    ("Euler's equations with the other sign", "src/exact/free_body.c",
     "ss_cross(ss_rotate(b->inertia, w), w)", "ss_cross(w, ss_rotate(b->inertia, w))",
     "unit.exact.free_body", "the_body_of_the_paper_has_its_angular_velocity_after_two_seconds"),
    ("the pendulum's inertia about its centre", "src/exact/pendulum.c",
     "    in->inertia = m->body_mass[p->body] * p->arm * p->arm + ", "    in->inertia = 0 * p->arm + ",
     "unit.exact.pendulum", "the_pendulum_of_the_paper_has_its_impacts_and_its_accumulation"),
    ("the slide's friction off by a millionth", "src/exact/sliding.c",
     ".grip = s->rest.mu * s->rest.press", ".grip = 1.000001 * s->rest.mu * s->rest.press",
     "unit.exact.slide", "cube_stops_where_the_textbook_says"),
    ("rolling that begins too late", "src/exact/slip_to_roll.c",
     ".grip = (1 + b->k) * r->mu", ".grip = (0.99 + b->k) * r->mu",
     "unit.exact.slip_to_roll", "ball_rolls_when_and_as_fast_as_the_textbook_says"),
    # studies
    ("a jump that is not filled in", "src/study/hausdorff.c",
     "                top = fmax(top, p->a[i].x);\n", "                top = p->a[i].x;\n",
     "unit.study.hausdorff", "random_graphs_with_jumps_agree_with_the_exhaustive_search"),
    ("every step weighted like the first", "src/study/norms.c",
     "w = k + 1 < g->n ? g->t[k + 1] - g->t[k] : 0;", "w = k + 1 < g->n ? w : 0;",
     "unit.study.norms", "unequal_steps_are_weighted_by_their_length_and_jumps_not_at_all"),
    ("a polyline taken before its jump", "src/study/norms.c",
     "        if (g->t[middle] <= t) {\n", "        if (g->t[middle] < t) {\n",
     "unit.study.norms", "a_reference_is_linear_between_its_points_and_taken_after_a_jump"),
    ("an exact reference taken before its jump", "src/study/reference.c",
     "exact_value(r, t[k], 1, x", "exact_value(r, t[k], -1, x",
     "unit.study.converge_references", "an_exact_reference_is_taken_after_its_jump"),
    ("the fitted slope over the wrong sum", "src/study/error.c",
     "    s->xx += dx * (log(x) - s->x);\n", "    s->xx += dx * dx;\n",
     "unit.study.converge", "orders_follow_from_ratios_and_the_fit_is_theirs"),
    ("the difference of a run taken from the run before", "src/study/compare.c",
     'add_distance(c, "difference", c->run, run)', 'add_distance(c, "difference", run > c->run ? run - 1 : run, run)',
     "unit.study.compare", "labels_name_the_scheme_and_count_repetitions"),
    ("an experiment's tolerance ignored", "src/study/experiment.c",
     "fabs(ours - goal) <= tolerance * scale;",
     "fabs(ours - goal) >= 0 * tolerance * scale;",
     "unit.study.experiment", "verdicts_follow_from_rows_corrections_and_missing_data"),
    ("order 2 declared for smooth motion", "src/schemes/anitescu_potra.c",
     ".order = { .smooth = 1, .impacts = 1,", ".order = { .smooth = 2, .impacts = 1,",
     "conformance.order", "anitescu_potra_has_the_order_it_declares"),
    ("order 2 declared through impacts", "src/schemes/anitescu_potra.c",
     ".order = { .smooth = 1, .impacts = 1,", ".order = { .smooth = 1, .impacts = 2,",
     "conformance.order", "anitescu_potra_has_the_order_it_declares"),
    # Newton's method and Runge-Kutta tables
    ("Newton's steps never damped", "src/math/newton.c",
     "    for (double tau = 0.5; !*good && tau >= SHORTEST; tau *= 0.5) {\n",
     "    for (double tau = 0.5; !*good && tau >= 1; tau *= 0.5) {\n",
     "unit.math.newton", "a_cycle_of_active_sets_is_broken"),
    ("a digit of Radau's method of order 5", "src/math/runge_kutta.c",
     "(296 - 169 * SQRT6) / 1800", "(296 - 168 * SQRT6) / 1800",
     "unit.math.runge_kutta", "every_method_has_the_order_it_declares_and_no_more"),
    ("a digit of Dormand and Prince's method", "src/math/runge_kutta.c",
     "19372.0 / 6561", "19373.0 / 6561",
     "unit.math.runge_kutta", "every_method_has_the_order_it_declares_and_no_more"),
    ("weights of the stages shifted by one", "src/schemes/event_capturing_rk/stages.c",
     "        ss_dense_add(m->nv, h * x->method->b[i], x->of.rate + i * m->nv, x->sum);\n",
     "        ss_dense_add(m->nv, h * x->method->b[(i + 1) % x->method->stages], x->of.rate + i * m->nv, x->sum);\n",
     STAGES, "a_heavy_top_turns_on_its_joint_with_the_order_of_the_method"),
    # accelerations
    ("the chart of rotations turns the other way", "src/model/config.c",
     "ss_cross(r, side), ss_axpy(0.5, side, w));", "ss_cross(r, side), ss_axpy(-0.5, side, w));",
     STAGES, "a_heavy_top_turns_on_its_joint_with_the_order_of_the_method"),
    ("driven bodies without their acceleration", "src/model/config.c",
     "            c->drive_rate[2 * b] = ss_v3_from(a);\n", "            c->drive_rate[2 * b] = ss_scale(0, ss_v3_from(a));\n",
     PHASE, "a_floor_that_accelerates_takes_what_sticks_to_it_along"),
    ("driven bodies without their angular acceleration", "src/model/config.c",
     "ss_scale(a[3], m->body_motion_axis[b]);", "ss_scale(0 * a[3], m->body_motion_axis[b]);",
     PHASE, "a_bead_at_rest_on_a_turntable_is_held_by_the_centripetal_force"),
    ("centripetal accelerations of joints with the other sign", "src/model/joints.c",
     "        out[i] = -out[i];\n", "        out[i] = +out[i];\n",
     PHASE, "the_rod_of_a_pendulum_carries_weight_and_centrifugal_force"),
    ("the point of contact stands still", "src/contact/acceleration.c",
     "const ss_vec3 rate = ss_gap_point_rate(&contact->gap, A, B, tA, tB);",
     "const ss_vec3 rate = ss_scale(0, ss_gap_point_rate(&contact->gap, A, B, tA, tB));",
     "unit.contact.acceleration", "contacts_of_shapes_that_do_not_slip_accelerate_as_the_motion_does"),
    # attachments and what turns with them
    ("a point of contact that does not wander over its bodies", "src/contact/stiffness.c",
     "ss_cross(ss_sub(d.point, s.x[b]), F)", "ss_cross(ss_scale(0, ss_sub(d.point, s.x[b])), F)",
     CONTACTS, "stiffness_of_contacts_of_every_pair_of_shapes_is_the_change_of_their_forces"),
    ("tangents that do not turn with the normal", "src/contact/stiffness.c",
     "        out.force = ss_axpy(r[k], tangent[k - 1], out.force);\n", "        (void)tangent;\n",
     CONTACTS, "stiffness_of_contacts_of_every_pair_of_shapes_is_the_change_of_their_forces"),
    ("a grain that stands still", "src/contact/stiffness.c",
     "turn = body < 0 ? ss_v3(0, 0, 0)", "turn = body < 2 ? ss_v3(0, 0, 0)",
     CONTACTS, "stiffness_of_contacts_of_every_pair_of_shapes_is_the_change_of_their_forces"),
    ("an upper limit that stiffens like a lower one", "src/contact/stiffness.c",
     "id->b == 0 ? r[0] : -r[0], own);", "r[0], own);",
     CONTACTS, "stiffness_of_limits_and_motors_of_every_joint_is_the_change_of_their_forces"),
    ("an arm that does not turn with its body", "src/model/attachment.c",
     "turned = ss_add(ss_rotate(arm, axis), ss_rotate(body, axis));",
     "turned = ss_add(ss_scale(0, ss_rotate(arm, axis)), ss_rotate(body, axis));",
     "unit.model.joints", "joint_stiffness_is_the_change_of_the_reactions_along_the_retraction"),
    ("velocities that do not turn with their body", "src/model/attachment.c",
     "                add_product(&J[a], K_v + from, &E, n, k_q + corner);\n", "                (void)E;\n",
     "unit.model.forces", "force_jacobians_agree_with_differences_along_the_retraction"),
    # user blocks
    ("a callback that fails is not heard", "src/model/blocks.c",
     "if (status_ != SS_OK) {", "if (status_ == SS_ERR_MEMORY) {",
     BLOCKS, "a_callback_that_fails_ends_the_run_with_its_name_and_loses_nothing_in_every_scheme"),
    ("a second hidden in the rates of blocks", "src/model/blocks.c",
     "b->time > 0 ? b->time : m->time", "b->time > 0 ? b->time : 1",
     "unit.model.accelerations", "the_rate_of_a_block_at_rest_has_all_its_digits_in_any_unit_of_time"),
    ("a metre hidden in the sizes of blocks", "src/model/blocks.c",
     "fmax(units(m, body)[j], fabs(x))", "fmax(0 * units(m, body)[j] + 1, fabs(x))",
     BLOCKS, "a_scene_with_a_block_in_other_units_gives_the_same_answer_in_every_scheme"),
    ("gaps of blocks kept for ever", "src/model/config.c",
     "        c->gaps[b].known = false;\n", "        (void)c;\n",
     "unit.contact.finder", "a_block_may_have_thousands_of_gaps_and_is_asked_for_them_once_for_each_configuration"),
    ("friction of blocks along the other tangent", "src/model/blocks.c",
     "ss_block_gap_rows(m, b) - 1) + row - 1;", "ss_block_gap_rows(m, b) - 1) + ss_block_gap_rows(m, b) - 1 - row;",
     CONTACTS, "stiffness_of_gaps_of_blocks_with_friction_is_the_change_of_their_forces_given_or_by_differences"),
    # phases and modes
    ("slip pushed instead of braked", "src/schemes/event_capturing_rk/phase.c",
     "problem->mu[k] * p->point.direction[3 * k + i - 1]));", "-problem->mu[k] * p->point.direction[3 * k + i - 1]));",
     PHASE, "slip_in_space_is_braked_against_its_direction"),
    ("the fourth leg of a table taken for an independent one", "src/schemes/event_capturing_rk/phase_rows.c",
     "    return left > SS_TOL_REDUNDANT * W[i * nr + i];\n", "    return W[i * nr + i] > 0;\n",
     PHASE, "four_corners_that_stick_have_a_force_although_statics_does_not_say_which"),
    ("rows given to the smallest loads", "src/schemes/event_capturing_rk/phase_rows.c",
     "p->closed[order[at - 1]].load < p->closed[k].load", "p->closed[order[at - 1]].load > p->closed[k].load",
     PHASE, "rows_go_to_the_contacts_with_the_largest_loads"),
    ("the pivot of slip without its friction", "src/schemes/event_capturing_rk/phase_rows.c",
     "        sum -= problem->mu[k] * p->point.direction[3 * k + i - 1] * normal[i];\n", "        sum -= 0 * normal[i];\n",
     PHASE, "the_pivot_of_painleves_rod_vanishes_where_the_textbook_says"),
    ("accelerations of a motor measured against nothing", "src/schemes/event_capturing_rk/modes.c",
     "fmax(size, p->mu[i] * trace)", "size",
     "unit.schemes.event_capturing_rk.modes", "a_motor_that_is_not_at_its_speed_gives_all_it_can_where_nothing_else_acts"),
    ("slip taken for its opposite in the problem of accelerations", "src/schemes/event_capturing_rk/modes.c",
     "        p->w[row] += far * ss_contact_unit", "        p->w[row] -= far * ss_contact_unit",
     "unit.schemes.event_capturing_rk.modes", "friction_of_what_slips_opposes_its_velocity_whatever_pushes_it"),
    # events
    ("the zero that a rebound starts from divided out nine times", "src/schemes/event_capturing_rk/watch.c",
     "        w.zero = 1;\n", "        w.zero = 9;\n",
     RK, "a_step_with_many_bounces_costs_few_evaluations_for_each_of_them"),
    ("a rebound that is not watched", "src/schemes/event_capturing_rk/watch.c",
     "        w.start = onset->rise[k] * h / unit;\n", "        w.start = -onset->rise[k] * h / unit;\n",
     RK, "a_ball_bounces_to_its_accumulation_and_lies_still"),
    ("a contact that leaves an overlap taken for an event", "src/schemes/event_capturing_rk/watch.c",
     ".up = SS_TOL_ROUND_OFF * unit + overlap };", ".up = SS_TOL_ROUND_OFF * unit };",
     "unit.schemes.event_capturing_rk_thresholds", "a_ball_that_leaves_the_floor_from_an_overlap_strikes_once_when_it_is_back"),
    ("slip that turns followed in long substeps", "src/schemes/event_capturing_rk/onset.c",
     "CHANGE * x->modes->speed[i] / change", "100 * x->modes->speed[i] / change",
     "unit.schemes.event_capturing_rk_thresholds", "slip_that_turns_stops_when_its_speed_is_zero_not_when_it_has_turned"),
    ("slip followed to its last digit", "src/schemes/event_capturing_rk/onset.c",
     "speed * speed <= 2 * course.slows * way", "speed * speed <= -course.across",
     "unit.schemes.event_capturing_rk_thresholds", "slip_in_space_has_ended_where_its_way_is_too_short_to_be_followed"),
    ("a step without a budget", "src/schemes/event_capturing_rk/stages.c",
     "    if (ss_stages_is_exhausted(x)) {\n", "    if (x->effort.most < 0) {\n",
     STAGES, "a_budget_ends_after_as_many_evaluations_of_the_stages"),
    ("all evaluations spent where a step gets nowhere", "src/schemes/event_capturing_rk/event_capturing_rk.c",
     "fmin(1, fmax(AT_FIRST, done / ALL_FROM))", "fmin(1, 1 + fmax(AT_FIRST, done / ALL_FROM))",
     RK, "a_step_that_gets_nowhere_keeps_half_of_its_evaluations_for_later"),
    ("an impact solved with all contacts that touch anywhere", "src/schemes/event_capturing_rk/onset.c",
     "if (struck[islands.of_contact[i] + 1]) {", "if (struck[islands.of_contact[i] + 1] || true) {",
     RK, "an_impact_is_solved_for_what_it_can_be_felt_by"),
    ("a row that joints block taken for one that moves", "src/schemes/event_capturing_rk/phase_rows.c",
     "W[i * nr + i] > SS_TOL_RANK * free_mobility(p, i)", "W[i * nr + i] > 0 * free_mobility(p, i)",
     RK, "friction_that_a_joint_leaves_nothing_to_do_does_not_stop_the_motion"),
    ("accumulation taken for its opposite", "src/schemes/event_capturing_rk/onset.c",
     "u * u <= -2 * a * x->accumulation", "u * u >= -2 * a * x->accumulation",
     RK, "a_ball_bounces_to_its_accumulation_and_lies_still"),
    ("the first event taken from a straight line", "src/events/first.c",
     "j >= 0 && round < n; round++", "j >= 0 && round < 1; round++",
     RK, "the_earlier_of_two_impacts_in_a_step_comes_first"),
    # the contact cache
    ("the numbers of a contact lost when others come", "src/contact/cache.c",
     "            move_entry(cache, level, --left, k);\n", "            left--;\n",
     "unit.contact.cache", "a_contact_that_stays_keeps_its_numbers_and_a_new_one_has_zeros"),
    ("a new contact with the numbers of another", "src/contact/cache.c",
     "            memset(cache->number + (size_t)k * count, 0, count * sizeof *cache->number);\n", "            (void)count;\n",
     "unit.contact.cache", "a_contact_that_stays_keeps_its_numbers_and_a_new_one_has_zeros"),
    ("impulses recalled of another level", "src/kernels/assembly.c",
     "ss_contact_cache_find(cache, level, &contact->id)", "ss_contact_cache_find(cache, (ss_level)(level ? 0 : level), &contact->id)",
     "unit.kernels.assembly", "a_solution_comes_back_at_its_own_level_and_at_no_other"),
    ("the second level left out of checkpoints", "src/sim/checkpoint.c",
     "        h.remembered[k] = sim->now.cache.level[k].n;\n", "        h.remembered[k] = k ? 0 : sim->now.cache.level[k].n;\n",
     "unit.sim.continuation", "a_run_saved_after_any_step_or_half_of_one_continues_with_the_same_bits"),
    ("the numbers of contacts left out of checkpoints", "src/sim/checkpoint.c",
     "? (size_t)numbers->count * (size_t)remembered : 0;", "? 0 * (size_t)remembered : 0;",
     "unit.sim.continuation", "a_run_saved_after_any_step_or_half_of_one_continues_with_the_same_bits"),
    # step control and dense output
    ("an error that is not a number lost at the next", "src/sim/driver.c",
     "ss_worse(sim->summary.max_unmet_error, ", "fmax(sim->summary.max_unmet_error, ",
     "unit.sim.control", "an_unmet_error_that_is_not_a_number_is_not_lost_at_the_next"),
    ("the order of the options not asked for", "src/sim/control.c",
     "sim->scheme->order ? sim->scheme->order(sim->params) : sim->scheme->info.order;", "sim->scheme->info.order;",
     "unit.sim.control", "where_a_scheme_locates_events_they_leave_the_order_that_its_options_give_it"),
    ("the order of smooth motion kept through impacts", "src/sim/control.c",
     "located ? c->impacts : closes ? 0 : 1);", "located ? c->impacts : c->order);",
     "unit.sim.control", "where_an_impact_was_the_difference_itself_is_the_error_and_the_order_is_zero"),
    ("a step goes on to its end although control needs its first stretch", "src/sim/driver.c",
     ".stretch = number == 0 ? ss_control_floor(&sim->control, from->t) : 0 };", ".stretch = 0 };",
     "unit.sim.control", "a_scheme_that_cuts_its_steps_is_judged_by_what_it_does_between_two_cuts"),
    ("velocities are not compared", "src/sim/control.c",
     "    if (out->speeds) {\n", "    if (out->speeds && 0) {\n",
     "unit.sim.control", "an_error_of_the_velocity_counts_times_the_time_in_which_a_body_covers_its_unit"),
    ("the error of a step, not of a unit of time", "src/sim/control.c",
     "* fmax(1, c->time / h);", "* 1;",
     "unit.sim.control", "where_a_scheme_locates_events_they_leave_the_order_that_its_options_give_it"),
    ("vibrations do not limit a trial", "src/sim/pace.c",
     "speed > least * w ? SWING / w : INFINITY;", "INFINITY;",
     "unit.sim.pace", "a_trial_spans_three_radians_of_a_vibration_that_is_larger_than_the_tolerance"),
    ("what a force that changes may move is not asked", "src/model/timed.c",
     "&& unseen(f, h, range, off) <= finest;", ";",
     "unit.sim.pace", "a_change_of_force_moves_a_free_body_by_at_most_the_tolerance_of_its_unit"),
    ("functions of time may bend in a step", "src/model/timed.c",
     "static const double BEND = 0.15;", "static const double BEND = 15;",
     "unit.sim.pace", "a_step_is_shorter_than_a_period_of_a_force_and_any_length_where_it_is_constant"),
    ("event functions are not watched inside an attempt", "src/schemes/event_capturing_rk/watch.c",
     "onset->phase->n > 0 ? watch_inside(&list) : SS_OK", "onset->phase->n > 1000000 ? watch_inside(&list) : SS_OK",
     "unit.schemes.event_capturing_rk_slip", "a_slip_that_begins_and_ends_within_a_step_is_located"),
    ("a contact that closes unseen is no error", "src/sim/closing.c",
     "    *out = (most - start) /", "    *out = 0 * (most - start) /",
     "unit.sim.control", "a_contact_that_closes_without_being_noticed_is_an_error_of_its_depth"),
    ("a flight that ends within a step is no error", "src/sim/closing.c",
     "[BY_LAST] = !x->timed && flight && closed,", "[BY_LAST] = false && closed,",
     "unit.sim.control", "a_contact_that_stays_closed_with_a_velocity_into_it_and_no_impulse_is_an_error"),
    ("a coefficient of the quintic", "src/sim/dense_output.c",
     "(10 + z * (6 * z - 15))", "(10 + z * (6 * z - 15.001))",
     "unit.sim.dense_output", "with_accelerations_positions_are_of_sixth_order_and_velocities_of_fourth"),
    ("the quintic without the accelerations of its end", "src/sim/dense_output.c",
     "G2 = 0.5 * z3 * y * y;", "G2 = 0 * z3 * y * y;",
     "unit.sim.dense_output", "with_accelerations_positions_are_of_sixth_order_and_velocities_of_fourth"),
    # time stepping
    ("the past reflected without its restitution", "src/schemes/schatzman_paoli/reflection.c",
     "        return -e * x->past.w[i];\n", "        return -x->past.w[i];\n",
     "unit.schemes.schatzman_paoli", "a_bouncing_point_follows_the_recursion_of_the_paper"),
    ("the forecast of Moreau's scheme over the whole step", "src/kernels/theta_contacts.c",
     "x->p->gamma : fmin(fmax(unbiased, 0), 1);", "x->p->gamma : fmin(fmax(unbiased, 1), 1);",
     "unit.schemes.moreau", "bounces_are_late_by_a_step_each_unless_the_forecast_makes_up_for_it"),
    ("reactions of joints shown beside contacts only", "src/schemes/event_capturing_rk/event_capturing_rk.c",
     "ss_phase_is_bound(x->w->phase) ? x->w->modes->a", "x->w->phase->n > 0 ? x->w->modes->a",
     RK, "a_joint_shows_its_reaction_where_no_contact_is_closed"),
    ("what Moreau's scheme takes over left in overlap", "src/schemes/event_capturing_rk/event_capturing_rk.c",
     ".touch = SS_TOL_FITS, .e = 1", ".touch = 1, .e = 1",
     OVERLAPS, "what_moreaus_scheme_takes_over_ends_without_overlap"),
    ("points of contacts not followed", "src/schemes/event_capturing_rk/event_capturing_rk.c",
     "    ss_vicinity_follow(w->around);\n", "",
     OVERLAPS, "a_rim_that_goes_round_strikes_a_ball_when_the_shapes_meet"),
    ("the end at an event not looked at", "src/schemes/event_capturing_rk/event_capturing_rk.c",
     "attempt->length < looked", "attempt->length < looked - INFINITY",
     OVERLAPS, "a_rim_that_goes_round_strikes_a_ball_when_the_shapes_meet"),
    ("a closed contact taken to other points than it stands on", "src/kernels/vicinity.c",
     "*out = held || (behind", "*out = (held && behind && !known) || (behind",
     OVERLAPS, "a_drum_that_rolls_on_its_rim_stays_on_the_floor"),
    ("a step left to another scheme without a word", "src/schemes/event_capturing_rk/event_capturing_rk.c",
     "    x->s->report->remark(x->s->report, SS_REMARK_HANDED, NULL);\n", "",
     RK, "a_step_whose_events_are_too_many_still_comes_to_its_end"),
    ("forces at the mean although those at the ends are asked for", "src/kernels/theta.c",
     "x->p->average == AVERAGE_FORCE, x->start.q, x->start.v };",
     "x->p->average == AVERAGE_FORCE && false, x->start.q, x->start.v };",
     "unit.schemes.moreau_forces", "forces_averaged_over_both_ends_are_those_at_the_ends"),
]

# (entry of HEADER, times, source that is compiled with it, test program, the test in it that must fail); for each entry the side
# on which a decision goes wrong
RK_PARTS = "src/schemes/event_capturing_rk/"
THRESHOLDS = "unit.schemes.event_capturing_rk_thresholds"
VICINITY = "unit.kernels.vicinity"
MEASURE = "unit.sim.measure"
TOLERANCES = [
    ("SS_TOL_DISAGREE", 0.01, "src/problem/compliance.c", COMPLIANCE, "noise_in_the_offsets_does_not_decide"),
    # closed or open
    ("SS_TOL_CLOSED", 100, "src/kernels/located_step.c",
     LOCATED, "a_gap_is_closed_up_to_the_tolerance_of_the_table_or_of_the_solver"),
    ("SS_TOL_CLOSED_BY_SOLVER", 100, "src/kernels/located_step.c",
     LOCATED, "a_gap_is_closed_up_to_the_tolerance_of_the_table_or_of_the_solver"),
    ("SS_TOL_CLOSED_LOCATED", 0.01, RK_PARTS + "onset.c", RK, "a_ball_strikes_a_table_that_oscillates_when_and_as_it_should"),
    ("SS_TOL_CLOSED_COMPARED", 100, "src/sim/closing.c", MEASURE, "step_control_calls_a_gap_of_a_hundred_millionth_closed"),
    ("SS_TOL_ON_SURFACE", 100, "src/kernels/located_step.c", LOCATED, "a_contact_off_its_features_touches_up_to_round_off"),
    ("SS_TOL_OVERLAP", 100, "src/kernels/vicinity.c", VICINITY, "an_overlap_is_noticed_from_where_it_is_more_than_round_off"),
    ("SS_TOL_OVERLAP", 100, "src/sim/measure.c", MEASURE, "bodies_overlap_from_where_it_is_more_than_round_off"),
    ("SS_TOL_UNSEEN", 100, "src/kernels/vicinity.c", VICINITY, "what_was_behind_a_surface_before_has_passed_unseen"),
    ("SS_TOL_FITS", 100, "src/sim/measure.c", MEASURE, "joints_that_are_off_by_more_than_a_millionth_are_told_and_not_certified"),
    ("SS_TOL_GROSS", 100, RK_PARTS + "onset.c", THRESHOLDS, "a_small_overlap_is_closed_and_a_gross_one_is_kept"),
    ("SS_TOL_AT_HAND", 100, "src/contact/passage.c", PASSAGE, "two_disks_meet_when_their_centres_are_two_radii_apart"),
    # at rest or moving
    ("SS_TOL_STILL", 100, "src/kernels/vicinity.c", VICINITY, "an_approach_that_round_off_of_the_speeds_can_make_is_slow"),
    ("SS_TOL_STILL", 100, RK_PARTS + "onset.c",
     THRESHOLDS, "a_point_that_slides_strikes_unless_its_approach_is_round_off_of_its_speed"),
    ("SS_TOL_STILL_GAINED", 100, RK_PARTS + "onset.c",
     THRESHOLDS, "a_point_that_rests_strikes_unless_its_approach_is_round_off_of_what_gravity_gives"),
    ("SS_TOL_NO_SPEED", 100, RK_PARTS + "phase.c", PHASE, "slip_has_a_direction_down_to_round_off_of_the_speeds_it_is_made_of"),
    ("SS_TOL_PUSH", 100, "src/sim/audit_impulses.c", AUDIT,
     "stabilisation_may_make_the_speed_that_undoes_an_overlap_in_a_step_and_no_more"),
    ("SS_TOL_STRIKE", 100, "src/kernels/theta.c", PASSING, "a_box_that_spins_keeps_its_energy_in_impacts"),
    ("SS_TOL_STRIKE_CUT", 100, "src/kernels/theta.c", PASSING, "a_box_that_spins_keeps_its_energy_in_impacts"),
    ("SS_TOL_WHIRL", 100, "src/kernels/euler.c", PASSING, "a_corner_that_bounced_does_not_push_when_it_comes_round_again"),
    ("SS_TOL_STOPPED", 100, RK_PARTS + "watch.c", THRESHOLDS, "two_points_stop_one_after_the_other_however_near"),
    ("SS_TOL_TURNED", 100, RK_PARTS + "onset.c", THRESHOLDS, "slip_that_turns_stops_when_its_speed_is_zero_not_when_it_has_turned"),
    # events
    ("SS_TOL_RELEASE", 100, RK_PARTS + "watch.c", RK, "a_box_on_a_belt_that_accelerates_slips_sticks_and_slips"),
    ("SS_TOL_SETTLED", 100, RK_PARTS + "onset.c", RK, "a_box_on_a_belt_that_accelerates_slips_sticks_and_slips"),
    ("SS_TOL_OBEYS", 100, RK_PARTS + "modes.c",
     "unit.schemes.event_capturing_rk.modes", "a_motion_obeys_the_laws_up_to_round_off_of_the_accelerations"),
    ("SS_TOL_ROOT", 100, "src/kernels/located_step.c", LOCATED, "collisions_are_located_to_the_tolerance_on_gaps"),
    ("SS_TOL_TIME", 100, "src/sim/driver.c",
     "unit.sim.driver", "a_rest_of_the_interval_is_a_step_of_its_own_unless_it_is_rounding"),
    # matrices
    ("SS_TOL_REDUNDANT", 100, "src/kernels/redundancy.c",
     "unit.kernels.redundancy", "rows_are_redundant_up_to_the_angle_that_drift_makes"),
    ("SS_TOL_RANK", 100, "src/problem/schur.c",
     "unit.problem.kkt", "without_a_wider_tolerance_only_round_off_makes_a_row_redundant"),
    ("SS_TOL_PIVOT", 0.01, "src/math/ldl.c", "unit.math.ldl", "a_pivot_that_is_nothing_but_rounding_marks_a_dependent_row"),
    ("SS_TOL_PIVOT", 100, "src/math/ldl.c", "unit.math.ldl", "a_pivot_that_is_nothing_but_rounding_marks_a_dependent_row"),
    ("SS_TOL_IMMOBILE", 100, "src/problem/delassus.c",
     "unit.problem.delassus", "a_row_is_immobile_where_round_off_is_all_that_moves_it"),
    ("SS_TOL_SYMMETRIC", 100, "src/model/compile_masses.c", "unit.model.errors", "a_mass_is_symmetric_up_to_round_off"),
    ("SS_TOL_DIRECTION", 100, "src/problem/check.c", "unit.problem.check", "directions_are_opposite_up_to_round_off_only"),
    # convergence
    ("SS_TOL_ROUND_OFF", 100, "src/kernels/projection.c",
     "unit.kernels.projection", "a_drift_of_a_few_hundred_roundings_is_brought_back_too"),
    ("SS_TOL_STALLED", 100, "src/kernels/projection.c",
     "unit.kernels.projection", "a_projection_that_stalls_fits_only_near_round_off"),
    ("SS_TOL_STAGES", 100, RK_PARTS + "stages.c", STAGES, "impulses_of_a_step_make_up_its_change_of_momentum"),
    ("SS_TOL_SOLVER", 100, "src/solvers/solver.c",
     "unit.solvers.solver", "problems_are_solved_to_the_tolerance_of_the_docs_unless_another_is_given"),
    ("SS_TOL_CANCELLED", 100, "src/problem/residual.c",
     "unit.problem.residual", "bodies_that_fly_along_together_are_not_measured_by_round_off"),
    ("SS_TOL_OWN", 0.01, "src/problem/residual.c",
     "unit.problem.body_scales", "the_velocity_of_a_light_body_is_seen_beside_a_heavy_one"),
    ("SS_TOL_MOST_NOISE", 100, "src/problem/body_scales.c",
     "unit.problem.body_scales", "forces_so_large_that_velocities_drown_excuse_nothing"),
    ("SS_TOL_BESIDE", 100, "src/problem/body_scales.c",
     "unit.problem.body_scales", "a_body_to_which_nothing_happens_is_measured_by_the_speed_of_its_neighbours"),
    ("SS_TOL_INFEASIBLE", 100, "src/solvers/cone_ipm/ipm_infeasible.c",
     "unit.solvers.cone_ipm_infeasible", "wedges_are_neither_called_infeasible_nor_solved_with_wrong_velocities"),
    ("SS_TOL_ENERGY", 100, "src/sim/account.c", "unit.sim.driver", "an_impact_that_makes_energy_is_told_from_round_off"),
    # energy from nowhere
    ("SS_TOL_GAIN", 100, "src/sim/audit_impulses.c", AUDIT, "energy_that_no_force_explains_is_an_alarm_above_the_noise"),
    ("SS_TOL_BOUNCE", 100, "src/sim/audit_impulses.c", AUDIT,
     "an_impact_that_leaves_faster_than_it_came_is_an_alarm_that_names_the_contact"),
    ("SS_TOL_ENERGY_SHARE", 100, "src/sim/audit.c", MECHANISMS,
     "energy_of_an_explicit_spring_grows_as_printed_stays_if_symplectic_and_falls_with_new_forces"),
    ("SS_TOL_BEYOND", 100, "src/sim/measure.c", AUDIT, "a_body_beyond_reason_ends_the_run_at_the_last_good_state"),
    ("SS_TOL_CONTRADICTION", 100, "src/kernels/redundancy.c", "unit.sim.contradiction",
     "motors_that_differ_by_a_thousandth_contradict_each_other"),
    # scenes and shapes
    ("SS_TOL_SCENE", 100, "src/model/compile_start.c", "unit.model.errors", "joints_are_checked"),
    ("SS_TOL_EXACT", 100, "src/exact/resting.c", "unit.exact.slide", "a_cube_off_the_plane_by_round_off_touches_it"),
    ("SS_TOL_SHAPE", 100, "src/geom/shape_polygon.c",
     "unit.geom.shapes", "corners_that_round_off_tells_apart_are_two_and_a_hull_thicker_than_that_is_solid"),
    ("SS_TOL_PLACE", 0.01, "src/geom/solid_axes.c", "unit.geom.boxes", "boxes_a_million_metres_away_still_touch_at_their_corners"),
    ("SS_TOL_FLAT", 100, "src/geom/shape_hull.c",
     "unit.geom.shapes", "corners_that_round_off_tells_apart_are_two_and_a_hull_thicker_than_that_is_solid"),
    ("SS_TOL_ONE_FACE", 100, "src/contact/reduce.c",
     "unit.contact.reduce", "the_deepest_is_kept_and_what_is_left_out_is_not_deeper"),
]


def tolerance_mutations(source):
    """TOLERANCES in the form of MUTATIONS; the file of each is the header and the source that is compiled with it."""
    with open(os.path.join(source, HEADER)) as f:
        lines = {m[1]: m for m in re.finditer(r"^#define (SS_TOL_\w+) +(.*)\n", f.read(), re.M)}
    found = []
    for name, times, unit, program, test in TOLERANCES:
        old, value = (lines[name][0], lines[name][2]) if name in lines else (name, "0")
        what = "%s %s" % (name, "100 times larger" if times > 1 else "100 times smaller")
        found.append((what, (HEADER, unit), old, "#define %s (%s * (%s))\n" % (name, times, value), program, test))
    return found


def chosen(source, text):
    """All mutations whose line of words or file holds the text."""
    every = MUTATIONS + tolerance_mutations(source)
    return [m for m in every if text in m[0] or text in (m[1][1] if isinstance(m[1], tuple) else m[1])]


def run(command, **kwargs):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kwargs)


def build(source, jobs, programs):
    """Bring the library and the test programs of SOURCE_DIR/build up to date; returns what went wrong, or None."""
    folder = os.path.join(source, "build")
    if not os.path.exists(os.path.join(folder, "Makefile")):
        configured = run(["cmake", "--preset", "release"], cwd=source)
        if configured.returncode != 0:
            return configured.stdout
    built = run(["cmake", "--build", folder, "-j", str(jobs), "--target"] + programs)
    return None if built.returncode == 0 else built.stdout[-2000:]


def compile_words(source):
    """By source: the words by which the build folder compiles it, without those that name the object."""
    with open(os.path.join(source, "build", "compile_commands.json")) as file:
        commands = json.load(file)
    words = {os.path.relpath(c["file"], source): shlex.split(c["command"]) for c in commands}
    return {name: w[:w.index("-o")] for name, w in words.items()}


def link(source, program, mutant, target):
    """The program as the build folder links it, with one more object in front of the library."""
    folder = os.path.join(source, "build")
    with open(os.path.join(folder, "CMakeFiles", program + ".dir", "link.txt")) as file:
        words = shlex.split(file.read())
    place = words.index("-o")
    return run(words[:place] + [mutant, "-o", target] + words[place + 2:], cwd=folder)


def run_test(program, test, source):
    """Names of the tests that failed when one of the program is run; a program that died counts as one called after its signal or
    status, and so does a test that is not there."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", CMOCKA_MESSAGE_OUTPUT="STDOUT", SLIPSTICK_FULL="0",
                       SLIPSTICK_TEST_ONLY=test)
    try:
        done = run([program], cwd=source, env=environment, timeout=300)
    except subprocess.TimeoutExpired:
        return {"time ran out"}
    lines = done.stdout.split("\n")
    failed = {line.split("] ", 1)[1].strip() for line in lines
              if line.startswith("[  FAILED  ]") and not line.endswith("listed below:")}
    if not failed and done.returncode != 0:
        return {"exit status %d" % done.returncode}
    return failed if "[ RUN      ] " + test in lines else failed | {"no such test"}


def write_broken(source, file, old, new, broken):
    """A copy of the file with the text replaced; returns what went wrong, or None."""
    with open(os.path.join(source, file)) as f:
        text = f.read()
    if text.count(old) != 1:
        return "the text to replace was found %d times in %s" % (text.count(old), file)
    os.makedirs(os.path.dirname(broken), exist_ok=True)
    with open(broken, "w") as f:
        f.write(text.replace(old, new))
    return None


def make_mutant(source, words, mutation, folder):
    """The broken source, its object and the program; returns the program and what went wrong, one of them None."""
    what, file, old, new, program, test = mutation
    file, unit = file if isinstance(file, tuple) else (file, file)
    broken, mutant, target = (os.path.join(folder, name) for name in (file, "mutant.o", program))
    problem = write_broken(source, file, old, new, broken)
    if problem:
        return None, problem
    # a broken header is found before the sound one; a broken source finds the headers beside the sound one
    compiled = broken if unit == file else os.path.join(source, unit)
    beside = ["-iquote", os.path.join(folder, "src"), "-iquote", os.path.dirname(os.path.join(source, unit)), "-w"]
    built = run(words[unit] + beside + ["-o", mutant, "-c", compiled], cwd=os.path.join(source, "build"))
    built = link(source, program, mutant, target) if built.returncode == 0 else built
    return (target, None) if built.returncode == 0 else (None, "does not compile:\n" + built.stdout[-2000:])


def try_mutation(source, words, mutation):
    """What is wrong with the tests, or None if the mutation is caught."""
    program, test = mutation[4:]
    with tempfile.TemporaryDirectory(prefix="slipstick-mutate-") as folder:
        target, problem = make_mutant(source, words, mutation, folder)
        if problem:
            return problem
        failed = run_test(target, test, source)
    if not failed:
        return "survived: %s stays green" % program
    return None if test in failed else "%s stays green; red: %s" % (test, ", ".join(sorted(failed)))


def green_to_begin_with(source, pool, mutations):
    tests = sorted({m[4:] for m in mutations})
    results = pool.map(lambda t: run_test(os.path.join(source, "build", "tests", t[0]), t[1], source), tests)
    red = [(program, test, failed) for (program, test), failed in zip(tests, results) if failed]
    for program, test, failed in red:
        print("mutate: %s of %s is not green to begin with: %s" % (test, program, ", ".join(sorted(failed))))
    return not red


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", nargs="?", default=".")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--only", default="", metavar="TEXT")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    source, start = os.path.abspath(arguments.source), time.time()
    mutations = chosen(source, arguments.only)
    problem = build(source, arguments.jobs, sorted({m[4] for m in mutations}))
    if problem:
        print("mutate: the tree does not build:\n" + problem)
        return 1
    words, failures = compile_words(source), 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        if not green_to_begin_with(source, pool, mutations):
            return 1
        for mutation, problem in zip(mutations, pool.map(lambda m: try_mutation(source, words, m), mutations)):
            print("mutate: %-62s %s" % (mutation[0], "caught" if problem is None else problem), flush=True)
            failures += problem is not None
    print("%d passed, %d failed (%d s)" % (len(mutations) - failures, failures, time.time() - start))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
