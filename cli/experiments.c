/* experiments.c - finding the recipes of the papers. */
#include "experiments.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int is_recipe(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return is_visible(entry) && n > 5 && strcmp(entry->d_name + n - 5, ".json") == 0;
}

static void add(cli_experiments *found, const char *papers, const char *paper, const char *file)
{
    cli_experiment *grown = realloc(found->item, (size_t)(found->n + 1) * sizeof *grown);
    if (!grown) {
        abort();
    }
    found->item = grown;
    cli_experiment *new = &grown[found->n];
    int name = snprintf(new->name, sizeof new->name, "%s/%.*s", paper, (int)strlen(file) - 5, file);
    int path = snprintf(new->path, sizeof new->path, "%s/%s/experiments/%s", papers, paper, file);
    found->n += name < (int)sizeof new->name &&path < (int)sizeof new->path;
}

static void find_recipes(cli_experiments *found, const char *papers, const char *paper)
{
    char folder[CLI_PATH + CLI_EXPERIMENT_NAME];
    struct dirent **entry;
    snprintf(folder, sizeof folder, "%s/%s/experiments", papers, paper);
    int n = scandir(folder, &entry, is_recipe, alphasort);
    for (int k = 0; k < n; k++) {
        add(found, papers, paper, entry[k]->d_name);
        free(entry[k]);
    }
    if (n >= 0) {
        free(entry);
    }
}

cli_experiments cli_experiments_find(void)
{
    cli_experiments found = { .n = 0 };
    struct dirent **entry;
    char folder[CLI_PATH];
    const char *papers = cli_find_data("papers", folder);
    int n = scandir(papers, &entry, is_visible, alphasort);
    for (int k = 0; k < n; k++) {
        find_recipes(&found, papers, entry[k]->d_name);
        free(entry[k]);
    }
    if (n >= 0) {
        free(entry);
    }
    return found;
}

void cli_experiments_free(cli_experiments *found)
{
    free(found->item);
    *found = (cli_experiments){ 0 };
}

const char *cli_experiment_text(const json_t *value, const char *key)
{
    const char *text = json_string_value(json_object_get(value, key));
    return text ? text : "";
}

json_t *cli_experiments_json(void)
{
    cli_experiments found = cli_experiments_find();
    json_t *list = json_array();
    for (int k = 0; k < found.n; k++) {
        json_t *recipe = json_load_file(found.item[k].path, 0, NULL);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", found.item[k].name, "title",
                                              cli_experiment_text(recipe, "title"), "reference",
                                              cli_experiment_text(recipe, "reference"), "path", found.item[k].path));
        json_decref(recipe);
    }
    cli_experiments_free(&found);
    return list;
}
