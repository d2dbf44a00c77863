/* vtp.c - VTK's XML format for polygons (PolyData) and grids (UnstructuredGrid), with all numbers behind the XML part as they are
 * in memory.
 *
 *   <VTKFile type="PolyData" ..> .. <DataArray .. format="appended" offset="k"/> ..
 *   <AppendedData encoding="raw"> _ then for every array 8 bytes: its size, and its bytes  </AppendedData>
 *
 * offset counts bytes behind the underscore. Numbers have the machine's byte order, which the file names.
 * Cost: what the arrays hold. */
#include "io/vtp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const char *const part_names[SS_VTP_PARTS] = { "FieldData", "PointData", "CellData", "Points",
                                                      "Verts",     "Lines",     "Polys",    "Cells" };
static const struct {
    const char *name;
    size_t bytes;
} types[] = { [SS_VTP_FLOAT32] = { "Float32", 4 },
              [SS_VTP_FLOAT64] = { "Float64", 8 },
              [SS_VTP_INT32] = { "Int32", 4 },
              [SS_VTP_UINT8] = { "UInt8", 1 },
              [SS_VTP_STRING] = { "String", 1 } };

static uint64_t size_of(const ss_vtp_array *a)
{
    return a->type == SS_VTP_STRING ? a->bytes : (uint64_t)a->rows * (uint64_t)a->components * types[a->type].bytes;
}

/* ---- the XML part ------------------------------------------------------------------------------ */

/* fields have no rows that the file knows of: they say how many */
static void print_array(FILE *f, const ss_vtp_array *a, uint64_t offset)
{
    fprintf(f, "<%s type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", a->type == SS_VTP_STRING ? "Array" : "DataArray",
            types[a->type].name, a->name, a->components);
    if (a->part == SS_VTP_FIELD) {
        fprintf(f, " NumberOfTuples=\"%" PRId64 "\"", a->rows);
    }
    fprintf(f, " format=\"appended\" offset=\"%" PRIu64 "\"/>\n", offset);
}

static void print_part(FILE *f, const ss_vtp *vtp, ss_vtp_part part)
{
    uint64_t offset = 0;
    fprintf(f, "<%s>\n", part_names[part]);
    for (int k = 0; k < vtp->arrays; k++) {
        if (vtp->array[k].part == part) {
            print_array(f, &vtp->array[k], offset);
        }
        offset += sizeof(uint64_t) + size_of(&vtp->array[k]);
    }
    fprintf(f, "</%s>\n", part_names[part]);
}

static void print_piece(FILE *f, const ss_vtp *vtp)
{
    fprintf(f, "<Piece NumberOfPoints=\"%" PRId64 "\"", vtp->points);
    if (vtp->cells > 0) {
        fprintf(f, " NumberOfCells=\"%" PRId64 "\">\n", vtp->cells);
        return;
    }
    fprintf(f, " NumberOfVerts=\"%" PRId64 "\" NumberOfLines=\"%" PRId64 "\"", vtp->verts, vtp->lines);
    fprintf(f, " NumberOfStrips=\"0\" NumberOfPolys=\"%" PRId64 "\">\n", vtp->polys);
}

static void print_xml(FILE *f, const ss_vtp *vtp)
{
    const char *order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
    const char *type = vtp->cells > 0 ? "UnstructuredGrid" : "PolyData";
    fprintf(f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n", type,
            order);
    fprintf(f, "<%s>\n", type);
    print_part(f, vtp, SS_VTP_FIELD);
    print_piece(f, vtp);
    for (int part = SS_VTP_POINT; part < SS_VTP_PARTS; part++) {
        const bool of_polygons = part == SS_VTP_VERTS || part == SS_VTP_LINES || part == SS_VTP_POLYS;
        if (vtp->cells > 0 ? !of_polygons : part != SS_VTP_CELLS) {
            print_part(f, vtp, (ss_vtp_part)part);
        }
    }
    fprintf(f, "</Piece>\n</%s>\n", type);
}

/* ---- the numbers ------------------------------------------------------------------------------- */

static void put_array(FILE *f, const ss_vtp_array *a)
{
    const uint64_t size = size_of(a);
    fwrite(&size, sizeof size, 1, f);
    if (size > 0) {
        fwrite(a->data, (size_t)size, 1, f);
    }
}

static void put_all(FILE *f, const ss_vtp *vtp)
{
    print_xml(f, vtp);
    fprintf(f, "<AppendedData encoding=\"raw\">\n_");
    for (int k = 0; k < vtp->arrays; k++) {
        put_array(f, &vtp->array[k]);
    }
    fprintf(f, "\n</AppendedData>\n</VTKFile>\n");
}

ss_status ss_vtp_write(ss_context *ctx, const char *path, const ss_vtp *vtp)
{
    FILE *f = fopen(path, "wb");
    if (!f) {
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    put_all(f, vtp);
    int error = fflush(f) != 0 || ferror(f) ? errno : 0;
    if (fclose(f) != 0 && !error) {
        error = errno;
    }
    if (error) {
        remove(path);
        return ss_fail(ctx, SS_ERR_IO, "%s: cannot be written: %s", path, strerror(error));
    }
    return SS_OK;
}
