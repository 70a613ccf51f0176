/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every function of the installed headers is called with NULL for each of its pointers in turn, and
 * with none. What is needed is refused, what is not needed is not, and nothing crashes. A function
 * of the headers without a row here fails the test.
 */
#include "support/harness.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Valid arguments ---- */

static struct fixture {
	model m;
	const bxt_system *system;
	bxt_netlist *netlist;
	bxt_library *library;
	bxt_diagnostics *d;
	bxt_table *table;
	bxt_state *state;
	bxt_simulation *simulation;
	bxt_summary summary;
	bxt_twins twins;
	bxt_verification *verification;
	bxt_comparison comparison;
	bxt_difference *difference;
	bxt_run_def run;
	bxt_tear_def tear;
	bxt_draw_def draw;
	bxt_verify_def verify;
	bxt_controller_def controller;
	bxt_import_def import;
	bxt_reduce_def reduce;
	bxt_parameter_sweep_def sweep;
	bxt_parameter_sweep *swept;
	bxt_reduction reduction;
	bxt_sensitivity_def sensitivity;
	bxt_steady_def periodic;
	bxt_steady *steady_out;
	bxt_fit_def fit;
	bxt_fit *fit_out;
	bxt_linear_def linearised;
	bxt_linear *linear, *linear_out;
	const bxt_linear_mode *modes_out;
	bxt_linear_modes_def modes_def;
	const bxt_linear_states *states_out;
	bxt_sink sink;
	FILE *null, *csv;
	char *folder, *file, *path; /* a state, a netlist */
	void *bytes;                /* of the state */
	size_t n_bytes;
	double numbers[64], momenta[64], values[1]; /* of the resistance */
	bxt_csc csc;
	size_t indices[1];
	bxt_part_info info;
	/* results, freed at the end */
	bxt_netlist *netlist_out;
	bxt_reduction *reduction_out;
	bxt_system *system_out;
	bxt_state *state_out;
	bxt_simulation *simulation_out;
	bxt_parameter_sweep *sweep_out;
	bxt_table *table_out;
	bxt_raw *raw, *raw_out, *raw_complex;
	bxt_verification *verification_out;
	bxt_summary summary_out;
	bxt_twins twins_out;
	char **names_out;
	void *memory_out, *created;
	size_t n_out;
	long done;
	const long *nodes;
	const char *const *port_names;
} f;

static const char netlist_text[] = NETLIST(
	"<input name='in' default='1'/><simulation step='0.125 s' end='1 s'/><subsystem id='s'>"
	"<resistor id='R' p='a' n='0' R='1'/><port id='p' node='a'/></subsystem>"
	"<subsystem id='u'><capacitor id='C' p='a' n='0' C='1' q='1'/>"
	"<port id='p' node='a'/></subsystem>"
	"<interconnection><connect id='c' ports='s.p u.p'/></interconnection>");
static const char component_text[] =
	"<component xmlns='urn:boxtimes:component:1' name='c' domain='d'>"
	"<coordinate name='x' unit='1' flow='v'/><lagrangian>v^2/2</lagrangian></component>";
static const char csv_text[] = "time,x\n0,1\n1,2\n";
static const bxt_attribute_value attributes[] = {{"p", "a"}};
static const char *const list[] = {"netlist"};

static int control(void *context, void *remembered, double t, const double *read, double *write,
		   char *error, size_t error_size)
{
	(void)context, (void)remembered, (void)t, (void)read, (void)write, (void)error;
	return error_size == 0;
}

static void set_up(void)
{
	memset(&f, 0, sizeof f);
	f.m = model_of_text(netlist_text);
	f.system = f.m.system;
	f.netlist = f.m.netlist;
	f.library = f.m.library;
	f.d = f.m.findings;
	bxt_default_run_def(&f.run);
	bxt_default_tear_def(&f.tear);
	bxt_default_draw_def(&f.draw);
	bxt_default_verify_def(&f.verify);
	bxt_default_controller_def(&f.controller);
	bxt_default_import_def(&f.import);
	bxt_default_reduce_def(&f.reduce);
	bxt_default_parameter_sweep_def(&f.sweep);
	bxt_default_sensitivity_def(&f.sensitivity);
	f.sensitivity.by = "s.R.R";
	bxt_default_steady_def(&f.periodic);
	f.periodic.period = 1;
	bxt_default_fit_def(&f.fit);
	f.fit.vary = "s.R.R";
	bxt_default_linear_def(&f.linearised);
	f.linearised.to = "u.C.q";
	bxt_default_linear_modes_def(&f.modes_def);
	ck_assert_int_eq(bxt_linear_new(f.system, &f.linearised, f.d, &f.linear), BXT_OK);
	f.reduction = (bxt_reduction){.size = sizeof f.reduction, .method = "pod", .as = "modes"};
	f.controller.step = control;
	f.run.end = 1;
	f.tear.parts = 2;
	f.values[0] = 2;
	f.csc.size = sizeof f.csc;
	f.info.size = sizeof f.info;
	ck_assert_int_eq(bxt_initialize(f.system, &f.run, f.d, &f.state), BXT_OK);
	ck_assert_int_eq(bxt_simulation_new(f.system, &f.run, f.d, &f.simulation), BXT_OK);
	f.sweep.run = &f.run;
	ck_assert_int_eq(bxt_parameter_sweep_run(f.system, &f.sweep, f.d, &f.swept), BXT_OK);
	ck_assert_int_eq(bxt_twins_find(f.system, f.system, &f.run, NULL, 0, f.d, &f.twins),
			 BXT_OK);
	bxt_run_def def = f.run; /* records what is compared */
	def.record = "energy";
	def.record_also = f.twins.record[0];
	def.n_record_also = f.twins.n_record[0];
	f.table = model_run(&f.m, &def, &f.summary);
	f.fit.data = f.table;
	ck_assert_int_eq(
		bxt_twins_compare(&f.twins, f.table, f.table, &f.summary, 1e-9, f.d, &f.difference),
		BXT_OK);
	ck_assert_int_eq(bxt_verify(f.system, &f.verify, f.d, &f.verification), BXT_OK);
	ck_assert_int_eq(bxt_state_to_memory(f.state, &f.bytes, &f.n_bytes), BXT_OK);
	f.comparison = (bxt_comparison){.size = sizeof f.comparison,
					.twins = &f.twins,
					.summary = {&f.summary, &f.summary},
					.difference = f.difference};
	f.null = fopen("/dev/null", "w");
	f.csv = fmemopen((void *)csv_text, strlen(csv_text), "r");
	f.folder = scratch_folder();
	f.file = malloc(strlen(f.folder) + 16);
	ck_assert(f.null && f.csv && f.file);
	f.path = malloc(strlen(getenv("BXT_NETLISTS")) + 32);
	ck_assert_ptr_nonnull(f.path);
	sprintf(f.path, "%s/rlc-series.xml", getenv("BXT_NETLISTS"));
	sprintf(f.file, "%s/state", f.folder);
	ck_assert_int_eq(bxt_state_save(f.state, f.file, f.d), BXT_OK);
	bxt_table_sink(f.table, &f.sink);
	ck_assert_int_eq(bxt_raw_new(f.null, NULL, false, &f.raw), BXT_OK);
}

static void tear_down(void)
{
	bxt_signal_names_free(f.names_out, f.names_out ? f.n_out : 0);
	bxt_netlist_free(f.netlist_out);
	bxt_reduction_free(f.reduction_out);
	bxt_system_free(f.system_out);
	bxt_state_free(f.state_out);
	bxt_simulation_free(f.simulation_out);
	bxt_parameter_sweep_free(f.sweep_out);
	bxt_steady_free(f.steady_out);
	bxt_fit_free(f.fit_out);
	bxt_linear_free(f.linear_out);
	bxt_linear_free(f.linear);
	bxt_table_free(f.table_out);
	bxt_raw_finish(f.raw);
	bxt_raw_finish(f.raw_out);
	bxt_raw_finish(f.raw_complex);
	bxt_verification_free(f.verification_out);
	bxt_summary_free(&f.summary_out);
	bxt_twins_free(&f.twins_out);
	bxt_release(f.memory_out);
	bxt_simulation_free(f.simulation);
	bxt_parameter_sweep_free(f.swept);
	bxt_state_free(f.state);
	bxt_table_free(f.table);
	bxt_summary_free(&f.summary);
	bxt_twins_free(&f.twins);
	bxt_verification_free(f.verification);
	bxt_release(f.bytes);
	bxt_release(f.difference);
	fclose(f.null);
	fclose(f.csv);
	scratch_remove(f.folder);
	free(f.file);
	free(f.path);
	model_free(&f.m);
}

static void visit(void *context, const char *name, const char *doc)
{
	(void)context, (void)name, (void)doc;
}

static bool after(void *context, double t)
{
	(void)context, (void)t;
	return true;
}

/* ---- Results ---- */

static bool is_status; /* of the last call */

static bool of_status(bxt_status status)
{
	is_status = true;
	return status == BXT_ERR_ARGUMENT;
}

static bool of_size(size_t n)
{
	return n == 0;
}

static bool of_long(long n)
{
	return n <= 0;
}

static bool of_double(double x)
{
	return isnan(x);
}

static bool of_bool(bool yes)
{
	return !yes;
}

static bool of_pointer(const void *p)
{
	return !p;
}

#define IS_REFUSED(call)                                                                           \
	_Generic((call), bxt_status                                                                \
		 : of_status, size_t                                                               \
		 : of_size, long                                                                   \
		 : of_long, double                                                                 \
		 : of_double, bool                                                                 \
		 : of_bool, default                                                                \
		 : of_pointer)(call)

/* ---- The functions ---- */

/* Pointer k of the function; NULL when it is its turn. */
#define P(k, pointer) (null == (k) ? NULL : (pointer))

/*
 * F(function, which pointers, arguments), and V where nothing is returned. Of each pointer: r it is
 * required, o it is not, f it is not and is freed, so that the function is called with NULL alone.
 */
#define FUNCTIONS(F, V)                                                                            \
	F(bxt_status_name, "", BXT_OK)                                                             \
	F(bxt_status_text, "", BXT_OK)                                                             \
	F(bxt_version, "")                                                                         \
	F(bxt_diagnostics_free, "f", P(0, f.d))                                                    \
	F(bxt_diagnostics_count, "r", P(0, f.d), BXT_NOTE)                                         \
	F(bxt_diagnostics_get, "r", P(0, f.d), 0)                                                  \
	V(bxt_write_plain, "oo", P(0, "text"), P(1, f.null))                                       \
	F(bxt_library_free, "f", P(0, f.library))                                                  \
	F(bxt_netlist_read, "ror", P(0, f.path), P(1, f.d), P(2, &f.netlist_out))                  \
	F(bxt_netlist_read_memory, "roor", P(0, netlist_text), strlen(netlist_text), P(1, "x"),    \
	  P(2, f.d), P(3, &f.netlist_out))                                                         \
	F(bxt_netlist_write, "rr", P(0, f.netlist), P(1, f.null))                                  \
	F(bxt_netlist_free, "f", P(0, f.netlist))                                                  \
	F(bxt_netlist_set, "rrrro", P(0, f.netlist), P(1, "s.R"), P(2, "R"), P(3, "2"), P(4, f.d)) \
	F(bxt_netlist_flatten, "rror", P(0, f.netlist), P(1, f.library), P(2, f.d),                \
	  P(3, &f.netlist_out))                                                                    \
	V(bxt_default_tear_def, "o", P(0, &f.tear))                                                \
	F(bxt_netlist_tear, "rrror", P(0, f.netlist), P(1, f.library), P(2, &f.tear), P(3, f.d),   \
	  P(4, &f.netlist_out))                                                                    \
	F(bxt_netlist_canonical, "rr", P(0, f.netlist), P(1, &f.netlist_out))                      \
	F(bxt_netlist_move, "rrro", P(0, f.netlist), P(1, f.library), P(2, "x.xml"), P(3, f.d))    \
	F(bxt_netlist_find_file, "rrrr", P(0, f.netlist), P(1, f.library), P(2, "x"),              \
	  P(3, (char **)&f.memory_out))                                                            \
	F(bxt_system_compile, "rror", P(0, f.netlist), P(1, f.library), P(2, f.d),                 \
	  P(3, &f.system_out))                                                                     \
	F(bxt_system_free, "f", P(0, f.m.system))                                                  \
	F(bxt_state_free, "f", P(0, f.state))                                                      \
	F(bxt_state_time, "r", P(0, f.state))                                                      \
	F(bxt_state_steps, "r", P(0, f.state))                                                     \
	V(bxt_default_run_def, "o", P(0, &f.run))                                                  \
	V(bxt_summary_free, "f", P(0, &f.summary))                                                 \
	F(bxt_initialize, "roor", P(0, f.system), P(1, &f.run), P(2, f.d), P(3, &f.state_out))     \
	F(bxt_run, "rroooo", P(0, f.system), P(1, f.state), P(2, &f.run), P(3, &f.sink),           \
	  P(4, &f.summary_out), P(5, f.d))                                                         \
	F(bxt_estimate_accuracy, "rrorr", P(0, f.table), P(1, f.table), 2, P(2, f.d),              \
	  P(3, (bxt_accuracy **)&f.memory_out), P(4, &f.n_out))                                    \
	F(bxt_signal_group_name, "", BXT_SIGNALS_FLOW)                                             \
	F(bxt_compare, "rroorr", P(0, f.table), P(1, f.table), P(2, list), 0, P(3, f.d),           \
	  P(4, (bxt_difference **)&f.memory_out), P(5, &f.n_out))                                  \
	F(bxt_twins_find, "rrooor", P(0, f.system), P(1, f.system), P(2, &f.run), P(3, list), 0,   \
	  P(4, f.d), P(5, &f.twins_out))                                                           \
	V(bxt_twins_free, "f", P(0, &f.twins))                                                     \
	F(bxt_twins_compare, "rrroor", P(0, &f.twins), P(1, f.table), P(2, f.table),               \
	  P(3, &f.summary), 1e-9, P(4, f.d), P(5, (bxt_difference **)&f.memory_out))               \
	F(bxt_twins_carried, "rrrrr", P(0, &f.twins), 0, P(1, f.table), P(2, &f.summary), 1e-9,    \
	  P(3, (bxt_carried **)&f.memory_out), P(4, &f.n_out))                                     \
	F(bxt_twins_accounts, "rrrrr", P(0, &f.twins), P(1, &f.summary), P(2, &f.summary),         \
	  P(3, (bxt_account_difference **)&f.memory_out), P(4, &f.n_out))                          \
	F(bxt_comparison_write_json, "rr", P(0, &f.comparison), P(1, f.null))                      \
	V(bxt_default_verify_def, "o", P(0, &f.verify))                                            \
	F(bxt_verification_free, "f", P(0, f.verification))                                        \
	F(bxt_verify, "roor", P(0, f.system), P(1, &f.verify), P(2, f.d),                          \
	  P(3, &f.verification_out))                                                               \
	F(bxt_verify_against, "rroor", P(0, f.system), P(1, f.system), P(2, &f.verify), P(3, f.d), \
	  P(4, &f.verification_out))                                                               \
	F(bxt_verification_write_text, "rr", P(0, f.verification), P(1, f.null))                   \
	F(bxt_verification_write_json, "rr", P(0, f.verification), P(1, f.null))                   \
	F(bxt_summary_write_json, "rr", P(0, &f.summary), P(1, f.null))                            \
	F(bxt_summary_write_brief, "rr", P(0, &f.summary), P(1, f.null))                           \
	F(bxt_summary_write_text, "rr", P(0, &f.summary), P(1, f.null))                            \
	F(bxt_system_is_part, "r", P(0, f.system))                                                 \
	F(bxt_system_write_info, "ror", P(0, f.system), P(1, &f.run), P(2, f.null))                \
	F(bxt_library_write_list, "roro", P(0, f.library), P(1, "resist"), true, P(2, f.null),     \
	  P(3, f.d))                                                                               \
	F(bxt_component_write_description, "rrro", P(0, f.library), P(1, "resistor"),              \
	  P(2, f.null), P(3, f.d))                                                                 \
	F(bxt_library_write_schema, "roro", P(0, f.library), P(1, f.netlist), P(2, f.null),        \
	  P(3, f.d))                                                                               \
	V(bxt_default_import_def, "o", P(0, &f.import))                                            \
	F(bxt_import_urdf, "roor", P(0, f.path), P(1, &f.import), P(2, f.d), P(3, &f.netlist_out)) \
	F(bxt_import_urdf_memory, "rroor", P(0, "<robot/>"), 8, P(1, "x"), P(2, &f.import),        \
	  P(3, f.d), P(4, &f.netlist_out))                                                         \
	F(bxt_import_spice, "roor", P(0, f.path), P(1, &f.import), P(2, f.d),                      \
	  P(3, &f.netlist_out))                                                                    \
	F(bxt_import_spice_memory, "rroor", P(0, "t"), 1, P(1, "x"), P(2, &f.import), P(3, f.d),   \
	  P(4, &f.netlist_out))                                                                    \
	F(bxt_netlist_write_spice, "rrro", P(0, f.netlist), P(1, f.library), P(2, f.null),         \
	  P(3, f.d))                                                                               \
	V(bxt_default_reduce_def, "o", P(0, &f.reduce))                                            \
	F(bxt_netlist_reduce, "rrroro", P(0, f.netlist), P(1, f.library), P(2, &f.reduce),         \
	  P(3, f.d), P(4, &f.netlist_out), P(5, &f.reduction_out))                                 \
	F(bxt_reduction_free, "f", P(0, f.reduction_out))                                          \
	F(bxt_reduction_write_text, "rr", P(0, &f.reduction), P(1, f.null))                        \
	V(bxt_default_sensitivity_def, "o", P(0, &f.sensitivity))                                  \
	F(bxt_sensitivity_run, "rror", P(0, f.system), P(1, &f.sensitivity), P(2, f.d),            \
	  P(3, &f.table_out))                                                                      \
	V(bxt_default_steady_def, "o", P(0, &f.periodic))                                          \
	F(bxt_steady_find, "rror", P(0, f.system), P(1, &f.periodic), P(2, f.d),                   \
	  P(3, &f.steady_out))                                                                     \
	F(bxt_steady_free, "f", P(0, f.steady_out))                                                \
	V(bxt_default_fit_def, "o", P(0, &f.fit))                                                  \
	F(bxt_fit_run, "rror", P(0, f.system), P(1, &f.fit), P(2, f.d), P(3, &f.fit_out))          \
	F(bxt_fit_free, "f", P(0, f.fit_out))                                                      \
	V(bxt_default_linear_def, "o", P(0, &f.linearised))                                        \
	F(bxt_linear_new, "roor", P(0, f.system), P(1, &f.linearised), P(2, f.d),                  \
	  P(3, &f.linear_out))                                                                     \
	F(bxt_linear_free, "f", P(0, f.linear))                                                    \
	F(bxt_linear_get, "rr", P(0, f.linear), BXT_LINEAR_A, P(1, &f.csc))                        \
	F(bxt_linear_count, "r", P(0, f.linear), BXT_LINEAR_STATES)                                \
	F(bxt_linear_name, "r", P(0, f.linear), BXT_LINEAR_OUTPUTS, 0)                             \
	F(bxt_linear_outputs, "rr", P(0, f.linear), P(1, f.numbers))                               \
	F(bxt_linear_response, "rro", P(0, f.linear), 1, P(1, f.numbers), P(2, f.d))               \
	F(bxt_linear_modes, "rrro", P(0, f.linear), P(1, &f.modes_out), P(2, &f.n_out), P(3, f.d)) \
	V(bxt_default_linear_modes_def, "o", P(0, &f.modes_def))                                   \
	F(bxt_linear_modes_near, "rorro", P(0, f.linear), P(1, &f.modes_def), P(2, &f.modes_out),  \
	  P(3, &f.n_out), P(4, f.d))                                                               \
	F(bxt_linear_to_states, "rro", P(0, f.linear), P(1, &f.states_out), P(2, f.d))             \
	F(bxt_linear_write_states, "rro", P(0, f.linear), P(1, f.folder), P(2, f.d))               \
	F(bxt_linear_write_states_mat, "rro", P(0, f.linear), P(1, f.null), P(2, f.d))             \
	F(bxt_linear_write, "rro", P(0, f.linear), P(1, f.folder), P(2, f.d))                      \
	F(bxt_linear_write_mat, "rr", P(0, f.linear), P(1, f.null))                                \
	V(bxt_default_draw_def, "o", P(0, &f.draw))                                                \
	F(bxt_netlist_write_dot, "rroro", P(0, f.netlist), P(1, f.library), P(2, &f.draw),         \
	  P(3, f.null), P(4, f.d))                                                                 \
	F(bxt_netlist_name, "r", P(0, f.netlist))                                                  \
	V(bxt_release, "f", P(0, f.bytes))                                                         \
	F(bxt_netlist_new, "rr", P(0, "x"), P(1, &f.netlist_out))                                  \
	F(bxt_netlist_add, "rrrroo", P(0, f.netlist), P(1, ""), P(2, "r"), P(3, attributes), 1,    \
	  P(4, "text"), P(5, f.d))                                                                 \
	F(bxt_netlist_add_xml, "rrro", P(0, f.netlist), P(1, ""), P(2, "<a/>"), P(3, f.d))         \
	F(bxt_netlist_remove, "rro", P(0, f.netlist), P(1, "s"), P(2, f.d))                        \
	F(bxt_netlist_copy, "rr", P(0, f.netlist), P(1, &f.netlist_out))                           \
	F(bxt_netlist_to_memory, "rrr", P(0, f.netlist), P(1, (char **)&f.memory_out),             \
	  P(2, &f.n_out))                                                                          \
	F(bxt_library_add_memory, "rrro", P(0, f.library), P(1, component_text),                   \
	  strlen(component_text), P(2, "x"), P(3, f.d))                                            \
	F(bxt_system_count, "r", P(0, f.system), BXT_PART_ELEMENT)                                 \
	F(bxt_system_part, "rr", P(0, f.system), BXT_PART_ELEMENT, 0, P(1, &f.info))               \
	F(bxt_system_find, "rro", P(0, f.system), BXT_PART_SIGNAL, P(1, "u.C.q"), P(2, f.d))       \
	F(bxt_system_element_ports, "roo", P(0, f.system), 0, P(1, &f.nodes), P(2, &f.port_names)) \
	F(bxt_library_read_quantity, "rrrror", P(0, f.library), P(1, "x"), P(2, "1 m"), P(3, "m"), \
	  P(4, f.d), P(5, &f.numbers[0]))                                                          \
	V(bxt_csv_sink, "oo", P(0, f.null), P(1, &f.sink))                                         \
	F(bxt_raw_new, "ror", P(0, f.null), P(1, "x"), true, P(2, &f.raw_out))                     \
	F(bxt_raw_new_complex, "ror", P(0, f.null), P(1, "x"), true, P(2, &f.raw_complex))         \
	V(bxt_raw_sink, "oo", P(0, f.raw), P(1, &f.sink))                                          \
	F(bxt_raw_finish, "f", P(0, f.raw))                                                        \
	F(bxt_table_free, "f", P(0, f.table))                                                      \
	V(bxt_table_sink, "oo", P(0, f.table), P(1, &f.sink))                                      \
	F(bxt_table_rows, "r", P(0, f.table))                                                      \
	F(bxt_table_columns, "r", P(0, f.table))                                                   \
	F(bxt_table_name, "r", P(0, f.table), 0)                                                   \
	F(bxt_table_unit, "r", P(0, f.table), 0)                                                   \
	F(bxt_table_time, "r", P(0, f.table), 0)                                                   \
	F(bxt_table_value, "r", P(0, f.table), 0, 0)                                               \
	F(bxt_table_column, "r", P(0, f.table), 0)                                                 \
	F(bxt_table_find, "rr", P(0, f.table), P(1, bxt_table_name(f.table, 1)))                   \
	F(bxt_table_read_csv, "roor", P(0, f.csv), P(1, "x"), P(2, f.d), P(3, &f.table_out))       \
	F(bxt_signal_names, "roorr", P(0, f.system), P(1, &f.run), P(2, f.d), P(3, &f.names_out),  \
	  P(4, &f.n_out))                                                                          \
	V(bxt_signal_names_free, "f", P(0, f.names_out), 1)                                        \
	F(bxt_signal_columns, "roorr", P(0, f.system), P(1, &f.run), P(2, f.d),                    \
	  P(3, (bxt_column **)&f.memory_out), P(4, &f.n_out))                                      \
	F(bxt_write_settings, "r", P(0, f.null))                                                   \
	V(bxt_setting_values, "ooo", P(0, "scheme"), P(1, visit), P(2, &f))                        \
	F(bxt_structure_member, "r", P(0, "bxt_run_def"), 0)                                       \
	F(bxt_structure_size, "r", P(0, "bxt_run_def"))                                            \
	V(bxt_reference_chapters, "oo", P(0, visit), P(1, &f))                                     \
	V(bxt_page_formats, "oo", P(0, visit), P(1, &f))                                           \
	F(bxt_reference_write, "rrr", P(0, list), 1, P(1, "md"), P(2, f.null))                     \
	F(bxt_component_write_page, "rroorro", P(0, f.library), P(1, "resistor"), P(2, "x"),       \
	  P(3, "text"), P(4, "md"), P(5, f.null), P(6, f.d))                                       \
	F(bxt_examples_write, "roro", P(0, (const char *const *)&f.path), 1, P(1, "md"),           \
	  P(2, f.null), P(3, f.d))                                                                 \
	V(bxt_default_parameter_sweep_def, "o", P(0, &f.sweep))                                    \
	F(bxt_parameter_sweep_run, "rror", P(0, f.system), P(1, &f.sweep), P(2, f.d),              \
	  P(3, &f.sweep_out))                                                                      \
	F(bxt_parameter_cases, "rror", P(0, f.system), P(1, &f.sweep), P(2, f.d),                  \
	  P(3, &f.sweep_out))                                                                      \
	F(bxt_parameter_sweep_write_csv, "rr", P(0, f.swept), P(1, f.null))                        \
	F(bxt_parameter_sweep_free, "f", P(0, f.swept))                                            \
	F(bxt_simulation_new, "roor", P(0, f.system), P(1, &f.run), P(2, f.d),                     \
	  P(3, &f.simulation_out))                                                                 \
	F(bxt_simulation_free, "f", P(0, f.simulation))                                            \
	F(bxt_simulation_reset, "ro", P(0, f.simulation), P(1, f.d))                               \
	F(bxt_simulation_step, "roo", P(0, f.simulation), 1, P(1, &f.done), P(2, f.d))             \
	F(bxt_simulation_step_to, "ro", P(0, f.simulation), 0.5, 0, P(1, f.d))                     \
	F(bxt_simulation_time, "r", P(0, f.simulation))                                            \
	F(bxt_simulation_steps, "r", P(0, f.simulation))                                           \
	F(bxt_simulation_set_inputs, "roro", P(0, f.simulation), 1, P(1, f.indices),               \
	  P(2, f.numbers), P(3, f.numbers))                                                        \
	F(bxt_simulation_get_inputs, "rr", P(0, f.simulation), P(1, f.numbers))                    \
	F(bxt_simulation_set_parameters, "rrro", P(0, f.simulation), 1, P(1, f.indices),           \
	  P(2, f.values), P(3, f.d))                                                               \
	F(bxt_simulation_get_parameters, "rr", P(0, f.simulation), P(1, f.numbers))                \
	F(bxt_simulation_signals, "r", P(0, f.simulation))                                         \
	F(bxt_simulation_signal, "r", P(0, f.simulation), 0)                                       \
	F(bxt_simulation_read, "rr", P(0, f.simulation), P(1, f.numbers))                          \
	F(bxt_simulation_summary, "rro", P(0, f.simulation), P(1, &f.summary_out), P(2, f.d))      \
	F(bxt_simulation_observe, "roo", P(0, f.simulation), P(1, after), P(2, &f))                \
	V(bxt_default_controller_def, "o", P(0, &f.controller))                                    \
	F(bxt_simulation_add_controller, "rro", P(0, f.simulation), P(1, &f.controller),           \
	  P(2, f.d))                                                                               \
	F(bxt_simulation_get_state, "rr", P(0, f.simulation), P(1, &f.state_out))                  \
	F(bxt_simulation_set_state, "rro", P(0, f.simulation), P(1, f.state), P(2, f.d))           \
	F(bxt_simulation_copy, "ror", P(0, f.simulation), P(1, f.d), P(2, &f.simulation_out))      \
	F(bxt_simulation_get_vectors, "roooo", P(0, f.simulation), P(1, f.numbers),                \
	  P(2, f.numbers), P(3, f.numbers), P(4, f.numbers))                                       \
	F(bxt_simulation_set_vectors, "rooo", P(0, f.simulation), P(1, f.numbers),                 \
	  P(2, f.momenta), P(3, f.d))                                                              \
	F(bxt_simulation_matrix, "rr", P(0, f.simulation), BXT_MATRIX_MASS, P(1, &f.csc))          \
	F(bxt_state_rows, "r", P(0, f.state))                                                      \
	F(bxt_state_save, "rro", P(0, f.state), P(1, f.file), P(2, f.d))                           \
	F(bxt_state_load, "rror", P(0, f.system), P(1, f.file), P(2, f.d), P(3, &f.state_out))     \
	F(bxt_state_to_memory, "rrr", P(0, f.state), P(1, &f.memory_out), P(2, &f.n_out))          \
	F(bxt_state_from_memory, "rroor", P(0, f.system), P(1, f.bytes), f.n_bytes, P(2, "x"),     \
	  P(3, f.d), P(4, &f.state_out))

/* They make objects out of nothing: there is no pointer that could be NULL. */
#define MAKERS(X)                                                                                  \
	X(bxt_diagnostics_new)                                                                     \
	X(bxt_table_new)                                                                           \
	X(bxt_library_new) /* all may be NULL: test_arguments.c */

#define CALL(name, kinds, ...)                                                                     \
	static bool call_##name(int null)                                                          \
	{                                                                                          \
		(void)null;                                                                        \
		return IS_REFUSED(name(__VA_ARGS__));                                              \
	}
#define CALL_VOID(name, kinds, ...)                                                                \
	static bool call_##name(int null)                                                          \
	{                                                                                          \
		name(__VA_ARGS__);                                                                 \
		return false;                                                                      \
	}
FUNCTIONS(CALL, CALL_VOID)

static const struct row {
	const char *name, *kinds;
	bool (*call)(int null);
	bool is_void;
} rows[] = {
#define ROW(name, kinds, ...) {#name, kinds, call_##name, false},
#define ROW_VOID(name, kinds, ...) {#name, kinds, call_##name, true},
	FUNCTIONS(ROW, ROW_VOID)};

static const char *const makers[] = {
#define MAKER(name) #name,
	MAKERS(MAKER)};

/* Row _i: no pointer NULL, then each in turn, with fresh arguments. */
START_TEST(each_pointer)
{
	const struct row *r = &rows[_i];
	for (int null = strchr(r->kinds, 'f') ? 0 : -1; null < (int)strlen(r->kinds); null++) {
		set_up();
		is_status = false;
		const bool refused = r->call(null);
		const bool required = null >= 0 && r->kinds[null] == 'r';
		if (required)
			ck_assert_msg(refused, "%s takes NULL for pointer %d", r->name, null);
		else if (is_status)
			ck_assert_msg(!refused, "%s refuses its arguments, pointer %d being NULL",
				      r->name, null);
		tear_down();
	}
}
END_TEST

/* ---- Indices and codes that are none ---- */

START_TEST(outside)
{
	set_up();
	ck_assert_str_eq(bxt_status_name((bxt_status)-1), bxt_status_name((bxt_status)1000));
	ck_assert_ptr_nonnull(bxt_status_text((bxt_status)1000));
	ck_assert_str_eq(bxt_signal_group_name((bxt_signal_group)-1), "");
	ck_assert_str_eq(bxt_signal_group_name(BXT_SIGNALS_COUNT), "");
	ck_assert_ptr_null(bxt_diagnostics_get(f.d, 100000));
	ck_assert_ptr_null(bxt_table_name(f.table, 100000));
	ck_assert_ptr_null(bxt_table_unit(f.table, 100000));
	ck_assert_ptr_null(bxt_table_column(f.table, 100000));
	ck_assert_ptr_null(bxt_table_column(f.table, -2));
	ck_assert(isnan(bxt_table_time(f.table, 100000)));
	ck_assert(isnan(bxt_table_value(f.table, 100000, 0)));
	ck_assert(isnan(bxt_table_value(f.table, 0, 100000)));
	ck_assert_ptr_null(bxt_simulation_signal(f.simulation, 100000));
	ck_assert_int_eq(bxt_twins_carried(&f.twins, -1, f.table, &f.summary, 1,
					   (bxt_carried **)&f.memory_out, &f.n_out),
			 BXT_ERR_ARGUMENT);
	ck_assert_uint_eq(bxt_system_count(f.system, (bxt_part)-1), 0);
	tear_down();
}
END_TEST

/* ---- None is forgotten ---- */

static bool has_row(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (strcmp(makers[i], name) == 0)
			return true;
	return false;
}

static char *read_whole(const char *path)
{
	FILE *stream = fopen(path, "r");
	char *text = calloc(1, 1 << 20);
	ck_assert(stream && text && fread(text, 1, (1 << 20) - 1, stream) > 0);
	fclose(stream);
	return text;
}

/* The functions that a header marks BXT_API: the last word before the first parenthesis behind. */
static int check_header(const char *text, const char *header)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, "BXT_API "));) {
		const char *line = at;
		at += strlen("BXT_API ");
		while (line > text && line[-1] != '\n')
			line--;
		if (*line == '#')
			continue;
		const char *end = at + strcspn(at, "("), *name = end;
		while (name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
			name--;
		char *copy = strndup(name, (size_t)(end - name));
		ck_assert_msg(has_row(copy),
			      "%s: %s has no row in tests/run/simulation/test_null_arguments.c",
			      header, copy);
		free(copy);
		n++;
	}
	return n;
}

START_TEST(none_is_forgotten)
{
	const char *source = getenv("BXT_SOURCE");
	char path[4096];
	int n = 0;
	snprintf(path, sizeof path, "%s/lib", source);
	DIR *folder = opendir(path);
	ck_assert_ptr_nonnull(folder);
	for (const struct dirent *e; (e = readdir(folder));) {
		const size_t length = strlen(e->d_name);
		if (length < 2 || strcmp(e->d_name + length - 2, ".h") != 0)
			continue;
		snprintf(path, sizeof path, "%s/lib/%s", source, e->d_name);
		char *text = read_whole(path);
		n += check_header(text, e->d_name);
		free(text);
	}
	closedir(folder);
	ck_assert_int_eq(n, COUNT(rows) + COUNT(makers));
}
END_TEST

TEST_SUITE("NULL for each argument")
{
	const test_case tests[] = {
		{"each pointer", each_pointer, .loops = COUNT(rows)},
		{"outside", outside},
		{"none is forgotten", none_is_forgotten},
	};
	ADD_TESTS(tests);
}
