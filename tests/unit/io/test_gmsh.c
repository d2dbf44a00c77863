/* test_gmsh.c - meshes from Gmsh files: what is read, and that whatever is broken is refused with a reason. */
#include "io/gmsh.h"
#include "test.h"

/* a square of four triangles; its left side is the group "left foot" */
static const char *const square = "$MeshFormat\n"
                                  "4.1 0 8\n"
                                  "$EndMeshFormat\n"
                                  "$PhysicalNames\n"
                                  "2\n"
                                  "1 1 \"left foot\"\n"
                                  "2 2 \"body\"\n"
                                  "$EndPhysicalNames\n"
                                  "$Entities\n"
                                  "0 1 1 0\n"
                                  "4 0 0 0 0 1 0 1 1 0\n"
                                  "1 0 0 0 1 1 0 1 2 1 4\n"
                                  "$EndEntities\n"
                                  "$Nodes\n"
                                  "2 5 1 5\n"
                                  "1 4 0 2\n"
                                  "1\n"
                                  "4\n"
                                  "0 0 0\n"
                                  "0 1 0\n"
                                  "2 1 0 3\n"
                                  "2\n"
                                  "3\n"
                                  "5\n"
                                  "1 0 0\n"
                                  "1 1 0\n"
                                  "0.4 0.7 0\n"
                                  "$EndNodes\n"
                                  "$Elements\n"
                                  "2 5 1 5\n"
                                  "1 4 1 1\n"
                                  "1 1 4\n"
                                  "2 1 2 4\n"
                                  "2 1 2 5\n"
                                  "3 2 3 5\n"
                                  "4 3 4 5\n"
                                  "5 4 1 5\n"
                                  "$EndElements\n";

typedef struct input {
    ss_context *ctx;
    ss_arena *arena;
} input;

static input begin(void)
{
    input x = { .ctx = test_context() };
    CHECK_OK(x.ctx, ss_arena_create(x.ctx, 4096, &x.arena));
    return x;
}

static void leave(input *x)
{
    ss_arena_destroy(x->arena);
    ss_context_destroy(x->ctx);
}

static ss_status parse(input *x, const char *text, size_t length, const char *held, ss_mesh_data *out)
{
    ss_arena_reset(x->arena);
    return ss_gmsh_parse(x->ctx, x->arena, text, length, "square.msh", 2, held, out);
}

TEST(nodes_and_triangles_are_numbered_from_0_and_the_group_is_found)
{
    input x = begin();
    static const int cell[] = { 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4 };
    ss_mesh_data mesh;
    CHECK_OK(x.ctx, parse(&x, square, strlen(square), "left foot", &mesh));
    CHECK(mesh.nodes == 5 && mesh.cells == 4 && memcmp(mesh.cell, cell, sizeof cell) == 0);
    CHECK(mesh.x[3 * 4] == 0.4 && mesh.x[3 * 4 + 1] == 0.7 && mesh.x[3 * 3 + 1] == 1);
    CHECK(mesh.held_nodes == 2 && mesh.held[0] == 0 && mesh.held[1] == 3);
    CHECK_OK(x.ctx, parse(&x, square, strlen(square), NULL, &mesh));
    CHECK(mesh.held_nodes == 0);
    CHECK_OK(x.ctx, parse(&x, square, strlen(square), "right foot", &mesh));
    CHECK(mesh.held_nodes == 0);
    leave(&x);
}

/* the file with the first `old` replaced */
static ss_status with(input *x, const char *old, const char *new, ss_mesh_data *out)
{
    char text[2048];
    const char *at = strstr(square, old);
    CHECK(at != NULL);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - square), square, new, at + strlen(old));
    return parse(x, text, strlen(text), "left foot", out);
}

#define WRONG(old, new, words) CHECK_FAILS(x.ctx, with(&x, old, new, &mesh), SS_ERR_INPUT, words)

TEST(what_cannot_be_read_is_refused_with_its_line)
{
    input x = begin();
    ss_mesh_data mesh;
    WRONG("4.1 0 8", "2.2 0 8", "line 2: expected version 4.1 of the format, got \"2.2\"");
    WRONG("4.1 0 8", "4.1 1 8", "expected text (0)");
    WRONG("\n3\n5\n", "\n3\n6\n", "node 6: expected the numbers 1 to 5, each once and without a hole");
    WRONG("\n3\n5\n", "\n3\n2\n", "node 2: expected the numbers 1 to 5, each once and without a hole");
    WRONG("2 5 1 5\n1 4 0 2", "2 6 1 6\n1 4 0 2", "node 6 is missing");
    WRONG("0.4 0.7 0", "0.4 0.7 0.1", "node 5 has z = 0.1, expected 0 in a 2D scene");
    WRONG("0.4 0.7 0", "0.4 nan 0", "expected a number, got \"nan\"");
    WRONG("2 1 2 4\n", "2 1 3 4\n", "elements of type 3 are not read, expected triangles with three nodes");
    WRONG("2 1 2 4\n", "2 1 2 9\n", "more elements than the 5 that the section says");
    WRONG("5 4 1 5\n$", "5 4 1 9\n$", "expected a whole number from 1 to 5, got \"9\"");
    WRONG("$Nodes", "Nodes", "expected a section ($..), got \"Nodes\"");
    WRONG("2 5 1 5\n1 4 1 1", "1 5 1 5\n1 4 1 1", "expected $EndElements, got \"2\"");
    CHECK_FAILS(x.ctx, ss_gmsh_parse(x.ctx, x.arena, square, strlen(square), "square.msh", 3, NULL, &mesh), SS_ERR_INPUT,
                "square.msh: no tetrahedra in it");
    leave(&x);
}

TEST(a_file_that_is_cut_anywhere_is_refused_with_a_reason)
{
    input x = begin();
    const size_t whole = strlen(square);
    for (size_t length = 0; length + 1 < whole; length++) { /* the end of the last line may be missing */
        ss_mesh_data mesh;
        const ss_status status = parse(&x, square, length, "left foot", &mesh);
        CHECK(status == SS_ERR_INPUT && strstr(ss_last_error(x.ctx), "square.msh: "));
    }
    leave(&x);
}

/* Bytes replaced by others of the file: refused with a reason, or a mesh whose numbers are in range. */
TEST(a_damaged_file_is_refused_or_read_within_its_bounds)
{
    input x = begin();
    const size_t whole = strlen(square);
    uint64_t seed = 3;
    char text[2048];
    for (int trial = 0; trial < 20000; trial++) {
        ss_mesh_data mesh;
        memcpy(text, square, whole);
        for (int k = 0; k < 1 + trial % 4; k++) {
            const size_t to = (size_t)(ss_random_uniform(&seed) * (double)whole),
                         from = (size_t)(ss_random_uniform(&seed) * (double)whole);
            text[to] = square[from];
        }
        if (parse(&x, text, whole, "left foot", &mesh) != SS_OK) {
            CHECK(*ss_last_error(x.ctx) && !strchr(ss_last_error(x.ctx), '\n'));
            continue;
        }
        for (int k = 0; k < 3 * mesh.cells; k++) {
            CHECK(mesh.cell[k] >= 0 && isfinite(mesh.x[3 * mesh.cell[k]]));
        }
    }
    leave(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_triangles_are_numbered_from_0_and_the_group_is_found),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_its_line),
        cmocka_unit_test(a_file_that_is_cut_anywhere_is_refused_with_a_reason),
        cmocka_unit_test(a_damaged_file_is_refused_or_read_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
