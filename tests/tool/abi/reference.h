/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The declarations of the headers, by tests/tool/abi.sh. */
typedef enum bxt_status {
 BXT_OK, BXT_ERR_MEMORY, BXT_ERR_ARGUMENT, BXT_ERR_IO, BXT_ERR_MODEL, BXT_ERR_INTERRUPTED, BXT_ERR_PLUGIN, BXT_ERR_SINGULAR, BXT_ERR_NEWTON, BXT_ERR_NOT_FINITE, BXT_ERR_TRUST,
} bxt_status;
__attribute__((visibility("default"))) const char *bxt_status_name(bxt_status status);
__attribute__((visibility("default"))) const char *bxt_status_text(bxt_status status);
__attribute__((visibility("default"))) const char *bxt_version(void);
typedef enum bxt_severity { BXT_NOTE, BXT_WARNING, BXT_ERROR } bxt_severity;
typedef struct bxt_finding {
 size_t size;
 bxt_severity severity;
 const char *file;
 int line;
 const char *text;
} bxt_finding;
typedef struct bxt_diagnostics bxt_diagnostics;
__attribute__((visibility("default"))) bxt_diagnostics *bxt_diagnostics_new(void);
__attribute__((visibility("default"))) bxt_diagnostics *bxt_diagnostics_free(bxt_diagnostics *diagnostics);
__attribute__((visibility("default"))) size_t bxt_diagnostics_count(const bxt_diagnostics *diagnostics, bxt_severity at_least);
__attribute__((visibility("default"))) const bxt_finding *bxt_diagnostics_get(const bxt_diagnostics *diagnostics, size_t i);
__attribute__((visibility("default"))) void bxt_write_plain(const char *text, FILE *stream);
typedef struct bxt_library bxt_library;
__attribute__((visibility("default"))) bxt_library *bxt_library_new(const char *const *directories, size_t n, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_library *bxt_library_free(bxt_library *library);
typedef struct bxt_netlist bxt_netlist;
__attribute__((visibility("default"))) bxt_status bxt_netlist_read(const char *path, bxt_diagnostics *d, bxt_netlist **out);
__attribute__((visibility("default"))) bxt_status bxt_netlist_read_memory(const char *bytes, size_t length, const char *name,
        bxt_diagnostics *d, bxt_netlist **out);
__attribute__((visibility("default"))) bxt_status bxt_netlist_write(const bxt_netlist *netlist, FILE *stream);
__attribute__((visibility("default"))) bxt_netlist *bxt_netlist_free(bxt_netlist *netlist);
__attribute__((visibility("default"))) bxt_status bxt_netlist_set(bxt_netlist *netlist, const char *path, const char *attribute,
       const char *value, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_netlist_flatten(const bxt_netlist *netlist, bxt_library *library,
           bxt_diagnostics *d, bxt_netlist **out);
typedef struct bxt_tear_def {
 size_t size;
 const char *node;
 const char *elements;
 int parts;
 const bxt_netlist *like;
 const char *names;
} bxt_tear_def;
__attribute__((visibility("default"))) void bxt_default_tear_def(bxt_tear_def *def);
__attribute__((visibility("default"))) bxt_status bxt_netlist_tear(const bxt_netlist *netlist, bxt_library *library,
        const bxt_tear_def *def, bxt_diagnostics *d, bxt_netlist **out);
__attribute__((visibility("default"))) bxt_status bxt_netlist_canonical(const bxt_netlist *netlist, bxt_netlist **out);
__attribute__((visibility("default"))) bxt_status bxt_netlist_move(bxt_netlist *netlist, bxt_library *library, const char *file,
        bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_netlist_find_file(const bxt_netlist *netlist, bxt_library *library,
      const char *path, char **out);
typedef struct bxt_system bxt_system;
__attribute__((visibility("default"))) bxt_status bxt_system_compile(const bxt_netlist *netlist, bxt_library *library,
          bxt_diagnostics *d, bxt_system **out);
__attribute__((visibility("default"))) bxt_system *bxt_system_free(bxt_system *system);
typedef struct bxt_state bxt_state;
__attribute__((visibility("default"))) bxt_state *bxt_state_free(bxt_state *state);
__attribute__((visibility("default"))) double bxt_state_time(const bxt_state *state);
__attribute__((visibility("default"))) long bxt_state_steps(const bxt_state *state);
typedef struct bxt_run_def {
 size_t size;
 double step, end;
 const char *scheme, *rule, *constraint, *start, *projection, *solver;
 const char *theta;
 const char *gradient;
 const char *force_rule;
 long every;
 const char *record;
 const char *const *record_also;
 size_t n_record_also;
_Bool 
     (*progress)(void *context, double fraction);
 void *progress_context;
_Bool 
     allow_plugins;
 const char *const *plugins;
 size_t n_plugins;
 int plugin_seconds;
_Bool 
     plugins_in_process;
 double save_every;
 bxt_status (*save)(void *context, const bxt_state *state);
 void *save_context;
_Bool 
     go_on;
} bxt_run_def;
__attribute__((visibility("default"))) void bxt_default_run_def(bxt_run_def *def);
struct bxt_column;
typedef struct bxt_sink {
 size_t size;
 bxt_status (*begin)(void *context, size_t n, const char *const *names);
 bxt_status (*row)(void *context, double t, size_t n, const double *values);
 void *context;
 bxt_status (*columns)(void *context, size_t n, const struct bxt_column *columns);
} bxt_sink;
typedef struct bxt_ledger_entry {
 size_t size;
 const char *kind;
 const char *path;
 double start, end;
 double dissipated;
 double supplied;
 double through;
 double projection;
 double residual;
} bxt_ledger_entry;
typedef struct bxt_drift_entry {
 size_t size;
 const char
  *family;
 double max, last;
} bxt_drift_entry;
typedef struct bxt_symmetry_entry {
 size_t size;
 const char *path;
 double start, end;
 double forces, constraints;
 double residual;
 double scale;
_Bool 
     affine;
} bxt_symmetry_entry;
typedef struct bxt_trust_figures {
 size_t size;
 double residual, trend, coarse, ringing, coarse_at, ringing_at;
 const char *coarse_of, *ringing_of;
 long samples, notes, errors;
} bxt_trust_figures;
typedef struct bxt_accuracy {
 size_t size;
 const char *name;
 double error, at, range;
 const char *unit;
} bxt_accuracy;
typedef struct bxt_summary {
 size_t size;
 const char *scheme, *solver, *solver_reason;
 long steps, newton_iterations, most_iterations, factorizations, refactorizations, halvings;
 double t, step;
 int unknowns, coordinates, rows, references, loops;
 int left_out;
 long rank_changes;
 size_t nonzeros, factor_nonzeros, system_bytes;
 double rcond;
_Bool 
     affine, energy_exact;
_Bool 
     energy_bounded;
 double energy_largest;
 bxt_ledger_entry total, *ledger;
 bxt_drift_entry *drift;
 bxt_symmetry_entry *symmetry;
 size_t n_ledger, n_drift, n_symmetry;
 struct {
  double compile, evaluate, factor, solve, monitor, total;
 } seconds;
 void *memory;
 bxt_trust_figures trust;
 long order, every;
 const bxt_accuracy *accuracy;
 size_t n_accuracy;
 const struct bxt_column *columns;
 size_t n_columns;
} bxt_summary;
__attribute__((visibility("default"))) void bxt_summary_free(bxt_summary *summary);
__attribute__((visibility("default"))) bxt_status bxt_initialize(const bxt_system *system, const bxt_run_def *def,
      bxt_diagnostics *d, bxt_state **out);
__attribute__((visibility("default"))) bxt_status bxt_run(const bxt_system *system, bxt_state *state, const bxt_run_def *def,
      const bxt_sink *sink, bxt_summary *summary, bxt_diagnostics *d);
typedef struct bxt_column {
 size_t size;
 const char *name;
 const char *unit;
} bxt_column;
__attribute__((visibility("default"))) void bxt_csv_sink(FILE *stream, bxt_sink *out);
typedef struct bxt_table bxt_table;
__attribute__((visibility("default"))) bxt_table *bxt_table_new(void);
__attribute__((visibility("default"))) bxt_table *bxt_table_free(bxt_table *table);
__attribute__((visibility("default"))) void bxt_table_sink(bxt_table *table, bxt_sink *out);
__attribute__((visibility("default"))) size_t bxt_table_rows(const bxt_table *table);
__attribute__((visibility("default"))) size_t bxt_table_columns(const bxt_table *table);
__attribute__((visibility("default"))) const char *bxt_table_name(const bxt_table *table, size_t j);
__attribute__((visibility("default"))) const char *bxt_table_unit(const bxt_table *table, size_t j);
__attribute__((visibility("default"))) double bxt_table_time(const bxt_table *table, size_t i);
__attribute__((visibility("default"))) double bxt_table_value(const bxt_table *table, size_t i, size_t j);
__attribute__((visibility("default"))) const double *bxt_table_column(const bxt_table *table, long j);
__attribute__((visibility("default"))) long bxt_table_find(const bxt_table *table, const char *name);
__attribute__((visibility("default"))) bxt_status bxt_table_read_csv(FILE *stream, const char *file, bxt_diagnostics *d,
          bxt_table **out);
__attribute__((visibility("default"))) bxt_status bxt_signal_names(const bxt_system *system, const bxt_run_def *def,
        bxt_diagnostics *d, char ***names, size_t *n);
__attribute__((visibility("default"))) void bxt_signal_names_free(char **names, size_t n);
__attribute__((visibility("default"))) bxt_status bxt_signal_columns(const bxt_system *system, const bxt_run_def *def,
          bxt_diagnostics *d, bxt_column **columns, size_t *n);
__attribute__((visibility("default"))) bxt_status bxt_estimate_accuracy(const bxt_table *coarse, const bxt_table *fine, int order,
      bxt_diagnostics *d, bxt_accuracy **out, size_t *n_out);
typedef enum bxt_signal_group {
 BXT_SIGNALS_COORDINATE,
 BXT_SIGNALS_FLOW,
 BXT_SIGNALS_MOMENTUM,
 BXT_SIGNALS_EFFORT,
 BXT_SIGNALS_MULTIPLIER,
 BXT_SIGNALS_OUTPUT,
 BXT_SIGNALS_ENERGY,
 BXT_SIGNALS_POWER,
 BXT_SIGNALS_DRIFT,
 BXT_SIGNALS_COUNT
} bxt_signal_group;
__attribute__((visibility("default"))) const char *bxt_signal_group_name(bxt_signal_group group);
typedef struct bxt_difference {
 size_t size;
 const char *a, *b;
 double largest;
 double scale;
 double relative;
 double at;
 bxt_signal_group group;
} bxt_difference;
__attribute__((visibility("default"))) bxt_status bxt_compare(const bxt_table *a, const bxt_table *b, const char *const *map,
          size_t n_map, bxt_diagnostics *d, bxt_difference **out,
          size_t *n_out);
typedef struct bxt_twin_side {
 size_t size;
 const char *name;
 const char *const *signal;
 const double *weight;
 size_t n;
} bxt_twin_side;
typedef struct bxt_twin {
 size_t size;
 bxt_signal_group group;
 const char *quantity;
 bxt_twin_side side[2];
} bxt_twin;
typedef struct bxt_twins {
 size_t size;
 bxt_twin *twin;
 size_t n;
 const char **record[2];
 size_t n_record[2];
 long every[2];
_Bool 
     fewer_rows;
 const char **alone[2];
 size_t n_alone[2];
 void *memory;
} bxt_twins;
__attribute__((visibility("default"))) bxt_status bxt_twins_find(const bxt_system *a, const bxt_system *b, const bxt_run_def *def,
      const char *const *map, size_t n_map, bxt_diagnostics *d,
      bxt_twins *out);
__attribute__((visibility("default"))) void bxt_twins_free(bxt_twins *twins);
__attribute__((visibility("default"))) bxt_status bxt_twins_compare(const bxt_twins *twins, const bxt_table *a, const bxt_table *b,
         const bxt_summary *account, double tolerance,
         bxt_diagnostics *d, bxt_difference **out);
typedef struct bxt_carried {
 size_t size;
 const char *connection;
 size_t n_ports;
 double carried;
 double lost;
 double relative;
 double at;
} bxt_carried;
__attribute__((visibility("default"))) bxt_status bxt_twins_carried(const bxt_twins *twins, int model, const bxt_table *table,
         const bxt_summary *summary, double tolerance,
         bxt_carried **out, size_t *n_out);
typedef struct bxt_account_difference {
 size_t size;
 const char *kind;
 const char *a, *b;
 const char *what;
 double difference, value;
 double relative;
} bxt_account_difference;
__attribute__((visibility("default"))) bxt_status bxt_twins_accounts(const bxt_twins *twins, const bxt_summary *a,
          const bxt_summary *b, bxt_account_difference **out,
          size_t *n_out);
typedef struct bxt_comparison {
 size_t size;
 const bxt_twins *twins;
 const bxt_summary *summary[2];
 const bxt_difference *difference;
 const bxt_carried *carried[2];
 size_t n_carried[2];
 const bxt_account_difference *account;
 size_t n_account;
 double largest, tolerance;
} bxt_comparison;
__attribute__((visibility("default"))) bxt_status bxt_comparison_write_json(const bxt_comparison *comparison, FILE *stream);
typedef struct bxt_verify_def {
 size_t size;
 double at;
 double tolerance;
 uint64_t seed;
 int states;
_Bool 
     hamilton_jacobi;
 bxt_run_def run;
} bxt_verify_def;
__attribute__((visibility("default"))) void bxt_default_verify_def(bxt_verify_def *def);
typedef struct bxt_verify_check {
 size_t size;
 const char *name;
_Bool 
     passed;
_Bool 
     note;
 double figure, tolerance;
 const char *text;
 const char *file;
 int line;
} bxt_verify_check;
typedef struct bxt_verification {
 size_t size;
_Bool 
     passed;
 bxt_verify_check *checks;
 size_t n;
 int states;
 void *memory;
} bxt_verification;
__attribute__((visibility("default"))) bxt_verification *bxt_verification_free(bxt_verification *verification);
__attribute__((visibility("default"))) bxt_status bxt_verify(const bxt_system *system, const bxt_verify_def *def,
         bxt_diagnostics *d, bxt_verification **out);
__attribute__((visibility("default"))) bxt_status bxt_verify_against(const bxt_system *a, const bxt_system *b,
          const bxt_verify_def *def, bxt_diagnostics *d,
          bxt_verification **out);
__attribute__((visibility("default"))) bxt_status bxt_verification_write_text(const bxt_verification *verification, FILE *stream);
__attribute__((visibility("default"))) bxt_status bxt_verification_write_json(const bxt_verification *verification, FILE *stream);
__attribute__((visibility("default"))) bxt_status bxt_summary_write_json(const bxt_summary *summary, FILE *stream);
__attribute__((visibility("default"))) bxt_status bxt_summary_write_brief(const bxt_summary *summary, FILE *stream);
__attribute__((visibility("default"))) bxt_status bxt_summary_write_text(const bxt_summary *summary, FILE *stream);
__attribute__((visibility("default"))) 
       _Bool 
            bxt_system_is_part(const bxt_system *system);
__attribute__((visibility("default"))) bxt_status bxt_system_write_info(const bxt_system *system, const bxt_run_def *def,
      FILE *stream);
__attribute__((visibility("default"))) bxt_status bxt_library_write_list(bxt_library *library, const char *word, 
                                                                                 _Bool 
                                                                                      names_only,
       FILE *stream, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_component_write_description(bxt_library *library, const char *name,
         FILE *stream, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_library_write_schema(bxt_library *library, const bxt_netlist *netlist,
         FILE *stream, bxt_diagnostics *d);
typedef struct bxt_draw_def {
 size_t size;
 size_t most;
_Bool 
     untitled;
} bxt_draw_def;
__attribute__((visibility("default"))) void bxt_default_draw_def(bxt_draw_def *def);
__attribute__((visibility("default"))) bxt_status bxt_netlist_write_dot(const bxt_netlist *netlist, bxt_library *library,
      const bxt_draw_def *def, FILE *stream, bxt_diagnostics *d);
__attribute__((visibility("default"))) const char *bxt_netlist_name(const bxt_netlist *netlist);
__attribute__((visibility("default"))) void bxt_release(void *memory);
typedef struct bxt_attribute_value {
 const char *name, *value;
} bxt_attribute_value;
__attribute__((visibility("default"))) bxt_status bxt_netlist_new(const char *name, bxt_netlist **out);
__attribute__((visibility("default"))) bxt_status bxt_netlist_add(bxt_netlist *netlist, const char *scope, const char *tag,
       const bxt_attribute_value *attributes, size_t n_attributes,
       const char *text, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_netlist_add_xml(bxt_netlist *netlist, const char *scope, const char *xml,
           bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_netlist_remove(bxt_netlist *netlist, const char *path, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_netlist_copy(const bxt_netlist *netlist, bxt_netlist **out);
__attribute__((visibility("default"))) bxt_status bxt_netlist_to_memory(const bxt_netlist *netlist, char **bytes, size_t *length);
__attribute__((visibility("default"))) bxt_status bxt_library_add_memory(bxt_library *library, const char *bytes, size_t length,
       const char *name, bxt_diagnostics *d);
typedef enum bxt_part {
 BXT_PART_SUBSYSTEM,
 BXT_PART_ELEMENT,
 BXT_PART_NODE,
 BXT_PART_PORT,
 BXT_PART_CONNECTION,
 BXT_PART_PARAMETER,
 BXT_PART_INPUT,
 BXT_PART_SIGNAL,
 BXT_PART_COORDINATE,
 BXT_PART_ROW,
 BXT_PART_COUNT
} bxt_part;
typedef struct bxt_part_info {
 size_t size;
 const char *path;
 const char *kind;
 const char *unit;
 const char *doc;
 const char *file;
 int line;
 long parent;
 double value;
 double least, most;
_Bool 
     positive;
_Bool 
     tunable;
_Bool 
     massless;
_Bool 
     is_position;
_Bool 
     is_reference;
} bxt_part_info;
__attribute__((visibility("default"))) size_t bxt_system_count(const bxt_system *system, bxt_part part);
__attribute__((visibility("default"))) bxt_status bxt_system_part(const bxt_system *system, bxt_part part, size_t i,
       bxt_part_info *out);
__attribute__((visibility("default"))) long bxt_system_find(const bxt_system *system, bxt_part part, const char *path,
        bxt_diagnostics *d);
__attribute__((visibility("default"))) size_t bxt_system_element_ports(const bxt_system *system, size_t i, const long **node,
     const char *const **name);
__attribute__((visibility("default"))) bxt_status bxt_library_read_quantity(bxt_library *library, const char *what,
          const char *text, const char *unit, bxt_diagnostics *d,
          double *value);
typedef void bxt_setting_visit(void *context, const char *name, const char *doc);
__attribute__((visibility("default"))) bxt_status bxt_write_settings(FILE *stream);
__attribute__((visibility("default"))) void bxt_setting_values(const char *setting, bxt_setting_visit *visit, void *context);
__attribute__((visibility("default"))) void bxt_reference_chapters(bxt_setting_visit *visit, void *context);
__attribute__((visibility("default"))) void bxt_page_formats(bxt_setting_visit *visit, void *context);
__attribute__((visibility("default"))) bxt_status bxt_reference_write(const char *const *chapters, size_t n, const char *format,
           FILE *stream);
__attribute__((visibility("default"))) bxt_status bxt_component_write_page(bxt_library *library, const char *name,
         const char *example, const char *text,
         const char *format, FILE *stream, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_examples_write(const char *const *files, size_t n, const char *format,
          FILE *stream, bxt_diagnostics *d);
typedef struct bxt_simulation bxt_simulation;
__attribute__((visibility("default"))) bxt_status bxt_simulation_new(const bxt_system *system, const bxt_run_def *def,
          bxt_diagnostics *d, bxt_simulation **out);
__attribute__((visibility("default"))) bxt_simulation *bxt_simulation_free(bxt_simulation *simulation);
__attribute__((visibility("default"))) bxt_status bxt_simulation_reset(bxt_simulation *simulation, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_simulation_step(bxt_simulation *simulation, long n, long *done,
           bxt_diagnostics *d);
enum { BXT_STEP_KEEP_GRID = 1 };
__attribute__((visibility("default"))) bxt_status bxt_simulation_step_to(bxt_simulation *simulation, double t, unsigned flags,
       bxt_diagnostics *d);
__attribute__((visibility("default"))) double bxt_simulation_time(const bxt_simulation *simulation);
__attribute__((visibility("default"))) long bxt_simulation_steps(const bxt_simulation *simulation);
__attribute__((visibility("default"))) bxt_status bxt_simulation_set_inputs(bxt_simulation *simulation, size_t n,
          const size_t *index, const double *value,
          const double *rate);
__attribute__((visibility("default"))) bxt_status bxt_simulation_get_inputs(const bxt_simulation *simulation, double *value);
__attribute__((visibility("default"))) bxt_status bxt_simulation_set_parameters(bxt_simulation *simulation, size_t n,
       const size_t *index, const double *value,
       bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_simulation_get_parameters(const bxt_simulation *simulation, double *value);
__attribute__((visibility("default"))) size_t bxt_simulation_signals(const bxt_simulation *simulation);
__attribute__((visibility("default"))) const bxt_column *bxt_simulation_signal(const bxt_simulation *simulation, size_t i);
__attribute__((visibility("default"))) bxt_status bxt_simulation_read(bxt_simulation *simulation, double *values);
__attribute__((visibility("default"))) bxt_status bxt_simulation_summary(bxt_simulation *simulation, bxt_summary *out,
       bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_simulation_observe(bxt_simulation *simulation,
      _Bool 
           (*after)(void *context, double t), void *context);
typedef struct bxt_controller_def {
 size_t size;
 const char *reads;
 const char *writes;
 double period;
 double delay;
 int (*step)(void *context, void *remembered, double t, const double *read, double *write,
      char *error, size_t error_size);
 void *context;
 const void *remembered;
 size_t remembered_size;
} bxt_controller_def;
__attribute__((visibility("default"))) void bxt_default_controller_def(bxt_controller_def *def);
__attribute__((visibility("default"))) bxt_status bxt_simulation_add_controller(bxt_simulation *simulation,
       const bxt_controller_def *def, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_simulation_get_state(bxt_simulation *simulation, bxt_state **out);
__attribute__((visibility("default"))) bxt_status bxt_simulation_set_state(bxt_simulation *simulation, const bxt_state *state,
         bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_simulation_copy(bxt_simulation *simulation, bxt_diagnostics *d,
           bxt_simulation **out);
__attribute__((visibility("default"))) bxt_status bxt_simulation_get_vectors(bxt_simulation *simulation, double *q, double *p,
           double *v, double *lambda);
__attribute__((visibility("default"))) bxt_status bxt_simulation_set_vectors(bxt_simulation *simulation, const double *q,
           const double *p, bxt_diagnostics *d);
__attribute__((visibility("default"))) long bxt_state_rows(const bxt_state *state);
__attribute__((visibility("default"))) bxt_status bxt_state_save(const bxt_state *state, const char *path, bxt_diagnostics *d);
__attribute__((visibility("default"))) bxt_status bxt_state_load(const bxt_system *system, const char *path, bxt_diagnostics *d,
      bxt_state **out);
__attribute__((visibility("default"))) bxt_status bxt_state_to_memory(const bxt_state *state, void **bytes, size_t *length);
__attribute__((visibility("default"))) bxt_status bxt_state_from_memory(const bxt_system *system, const void *bytes, size_t length,
      const char *name, bxt_diagnostics *d, bxt_state **out);
typedef struct bxt_csc {
 size_t size;
 int n_rows, n_columns;
 const int *colptr, *rowind;
 const double *values;
} bxt_csc;
typedef enum bxt_system_matrix {
 BXT_MATRIX_MASS,
 BXT_MATRIX_CONSTRAINTS,
 BXT_MATRIX_STIFFNESS,
 BXT_MATRIX_DAMPING,
 BXT_MATRIX_STEP,
 BXT_MATRIX_COUNT
} bxt_system_matrix;
__attribute__((visibility("default"))) bxt_status bxt_simulation_matrix(bxt_simulation *simulation, bxt_system_matrix which,
      bxt_csc *out);
