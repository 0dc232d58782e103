// Glue like the contest's between a champion in OCaml and the match engine, for the functions that this one uses.

extern "C" {
#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
}
#include "interface.hh"

static value to_caml(int number) { return Val_int(number); }
static value to_caml(bool truth) { return Val_bool(truth); }
static value to_caml(erreur code) { return Val_int(code); }

static value to_caml(position at) {
    CAMLparam0();
    CAMLlocal1(pair);
    pair = caml_alloc_tuple(2);
    Store_field(pair, 0, Val_int(at.x));
    Store_field(pair, 1, Val_int(at.y));
    CAMLreturn(pair);
}

static value to_caml(lien link) {
    CAMLparam0();
    CAMLlocal3(record, one, two);
    one = to_caml(link.extr1);
    two = to_caml(link.extr2);
    record = caml_alloc_tuple(3);
    Store_field(record, 0, one);
    Store_field(record, 1, two);
    Store_field(record, 2, Val_int(link.joueur_l));
    CAMLreturn(record);
}

template <typename T>
static value to_caml(const std::vector<T> &list) {
    CAMLparam0();
    CAMLlocal2(array, each);
    array = list.empty() ? Atom(0) : caml_alloc(list.size(), 0);
    for (size_t i = 0; i < list.size(); i++) {
        each = to_caml(list[i]);
        Store_field(array, i, each);
    }
    CAMLreturn(array);
}

static position at(value pair) { return position{Int_val(Field(pair, 0)), Int_val(Field(pair, 1))}; }

#define ASK(name) \
    extern "C" value ml_##name(value) { return to_caml(api_##name()); }
#define ASK_AT(name) \
    extern "C" value ml_##name(value p) { return to_caml(api_##name(at(p))); }
#define ASK_BETWEEN(name) \
    extern "C" value ml_##name(value p, value q) { return to_caml(api_##name(at(p), at(q))); }

ASK(utiliser_turbo)
ASK(capturer)
ASK(neutraliser)
ASK(ajouter_bouclier)
ASK(liste_portails)
ASK(liste_liens)
ASK(moi)
ASK(adversaire)
ASK(points_action)
ASK(points_deplacement)
ASK_AT(deplacer)
ASK_AT(lier)
ASK_AT(portail_joueur)
ASK_AT(portail_boucliers)
ASK_BETWEEN(lien_existe)
ASK_BETWEEN(distance)

extern "C" value ml_position_agent(value player) { return to_caml(api_position_agent(Int_val(player))); }

extern "C" value ml_afficher_position(value p) {
    api_afficher_position(at(p));
    return Val_unit;
}

static void call(const char *name) {
    static bool is_started = false;
    if (!is_started) {
        is_started = true;
        const char *words[] = {"./caml", nullptr};
        caml_startup(const_cast<char **>(words));
    }
    caml_callback(*caml_named_value(name), Val_unit);
}

void partie_init() { call("ml_partie_init"); }
void jouer_tour() { call("ml_jouer_tour"); }
void partie_fin() { call("ml_partie_fin"); }
