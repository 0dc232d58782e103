//! Every route by every role, with the expected status.

use crate::browser::{Browser, Place, between};
use agon_server::{
    routes::{ROUTES, Route, Verb},
    submissions,
};

/// The roles, in the order of the columns.
const ROLES: [&str; 6] = ["visitor", "player", "member", "captain", "auditor", "organiser"];

/// Every route with what each role gets. Forms are empty, so 4xx other than 401 and 403 mean that the role may send them; 303 leads to
/// the page of log-in for visitors, and back to the page for others. What ends sessions or memberships comes last.
const TABLE: &[(&str, &str, [u16; 6])] = &[
    ("GET", "/", [200, 200, 200, 200, 200, 200]),
    ("POST", "/language", [404, 404, 404, 404, 404, 404]),
    ("GET", "/first/{token}", [410, 303, 303, 303, 303, 303]),
    ("POST", "/first/{token}", [410, 403, 403, 403, 403, 403]),
    ("GET", "/password/{token}", [410, 303, 303, 303, 303, 303]),
    ("POST", "/password/{token}", [410, 403, 403, 403, 403, 403]),
    ("GET", "/join", [200, 303, 303, 303, 303, 303]),
    ("POST", "/join", [422, 403, 403, 403, 403, 403]),
    ("GET", "/login", [200, 303, 303, 303, 303, 303]),
    ("POST", "/login", [403, 403, 403, 403, 403, 403]),
    ("GET", "/account", [303, 200, 200, 200, 200, 200]),
    ("POST", "/account/password", [303, 422, 422, 422, 422, 422]),
    ("POST", "/account/tokens", [303, 404, 404, 404, 404, 404]),
    ("POST", "/account/sessions/{number}/end", [303, 404, 404, 404, 404, 404]),
    ("POST", "/account/sessions/end", [303, 303, 303, 303, 303, 303]),
    ("GET", "/teams", [200, 200, 200, 200, 200, 200]),
    ("POST", "/teams", [303, 422, 403, 403, 403, 403]),
    ("POST", "/teams/enter", [303, 410, 403, 403, 403, 403]),
    ("GET", "/teams/{number}", [200, 200, 200, 200, 200, 200]),
    ("POST", "/teams/{number}/rename", [303, 403, 403, 422, 403, 422]),
    ("POST", "/teams/{number}/code", [303, 403, 403, 303, 403, 303]),
    ("POST", "/teams/{number}/members/{account}/remove", [303, 403, 403, 404, 403, 404]),
    ("POST", "/teams/{number}/members/{account}/captain", [303, 403, 403, 404, 403, 404]),
    ("POST", "/teams/{number}/hide", [303, 403, 403, 403, 403, 303]),
    ("GET", "/teams/{number}/versions", [303, 403, 200, 200, 200, 200]),
    ("GET", "/teams/{number}/versions/{version}", [303, 403, 404, 404, 404, 404]),
    ("GET", "/teams/{number}/versions/{version}/compare/{other}", [303, 403, 404, 404, 404, 404]),
    ("GET", "/teams/{number}/versions/{version}/replays/{step}", [303, 403, 404, 404, 404, 404]),
    ("POST", "/teams/{number}/versions/{version}/choose", [303, 403, 404, 404, 404, 404]),
    ("POST", "/teams/{number}/versions/{version}/take-back", [303, 403, 404, 404, 404, 404]),
    ("POST", "/teams/{number}/versions/{version}/again", [303, 403, 403, 403, 403, 404]),
    ("GET", "/organise/versions", [303, 403, 403, 403, 200, 200]),
    ("GET", "/api/teams/{number}/versions", [401, 403, 200, 200, 200, 200]),
    ("GET", "/api/teams/{number}/versions/received", [401, 403, 422, 422, 422, 422]),
    ("GET", "/api/teams/{number}/versions/{version}", [401, 403, 404, 404, 404, 404]),
    ("GET", "/organise", [303, 403, 403, 403, 200, 200]),
    ("POST", "/organise/contest", [303, 403, 403, 403, 403, 422]),
    ("POST", "/organise/registration", [303, 403, 403, 403, 403, 404]),
    ("POST", "/organise/invites", [303, 403, 403, 403, 403, 404]),
    ("POST", "/organise/invites/{number}/end", [303, 403, 403, 403, 403, 404]),
    ("POST", "/organise/accounts/{number}/disable", [303, 403, 403, 403, 403, 404]),
    ("POST", "/organise/accounts/{number}/enable", [303, 403, 403, 403, 403, 404]),
    ("POST", "/organise/accounts/{number}/link", [303, 403, 403, 403, 403, 404]),
    ("GET", "/api/contest", [200, 200, 200, 200, 200, 200]),
    ("GET", "/api/account", [401, 200, 200, 200, 200, 200]),
    ("GET", "/api/teams", [200, 200, 200, 200, 200, 200]),
    ("GET", "/api/teams/{number}", [200, 200, 200, 200, 200, 200]),
    ("GET", "/api/organise", [401, 403, 403, 403, 200, 200]),
    ("POST", "/teams/{number}/leave", [303, 403, 303, 303, 403, 403]),
    ("POST", "/logout", [303, 303, 303, 303, 303, 303]),
];

/// Makes a browser of each role, and a team that the member and the captain are in.
fn browsers(place: &Place) -> [Browser; 6] {
    let mut organiser = place.organiser();
    let invited = [("role", "auditor"), ("uses", "1"), ("days", "1")];
    assert_eq!(place.post(&mut organiser, "/organise/invites", &invited).status, 303);
    let code =
        place.get(&mut organiser, "/api/organise").json()["invites"][0]["code"].as_str().expect("a code").to_owned();
    let auditor = place.joined("aldo", &code);
    let mut captain = place.joined("clara", "");
    assert_eq!(place.post(&mut captain, "/teams", &[("team", "Gatos")]).header("location"), "/teams/1");
    let page = place.get(&mut captain, "/teams/1").body;
    let code = between(&page, "<code class=\"secret\">", "<").to_owned();
    let mut member = place.joined("mario", "");
    assert_eq!(place.post(&mut member, "/teams/enter", &[("code", &code)]).header("location"), "/teams/1");
    [Browser::default(), place.joined("pedro", ""), member, captain, auditor, organiser]
}

fn filled(path: &str, about_teams: bool) -> String {
    let number = if about_teams { "1" } else { "99" };
    let path = path.replace("{number}", number).replace("{account}", "99").replace("{token}", "x");
    path.replace("{version}", "9").replace("{other}", "8").replace("{step}", "7")
}

#[test]
fn every_route_answers_every_role_as_the_table_says() {
    let place = Place::open();
    let mut browsers = browsers(&place);
    let mut wrong = Vec::new();
    for (verb, path, expected) in TABLE {
        let target = filled(path, path.contains("/teams/"));
        for ((browser, role), expected) in browsers.iter_mut().zip(ROLES).zip(expected) {
            let answer = match *verb {
                "GET" => place.get(browser, &target),
                _ => place.post(browser, &target, &[]),
            };
            let leads_to_log_in = answer.header("location") == "/login";
            if answer.status != *expected || leads_to_log_in && role != "visitor" {
                wrong.push(format!("{verb} {path} by {role}: {} instead of {expected}", answer.status));
            }
            // Each page says who may do what with it.
            assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{verb} {path}");
            assert_eq!(answer.header("cache-control"), "no-store");
        }
        place.pass(60_000);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_table_has_every_route() {
    let verb = |route: &Route| if route.verb == Verb::Get { "GET" } else { "POST" };
    let mut routes: Vec<(&str, &str)> =
        ROUTES.iter().chain(submissions::ROUTES).map(|route| (verb(route), route.path)).collect();
    let mut table: Vec<(&str, &str)> = TABLE.iter().map(|(verb, path, _)| (*verb, *path)).collect();
    routes.sort_unstable();
    table.sort_unstable();
    assert_eq!(routes, table);
}

#[test]
fn a_hidden_team_is_nothing_for_others() {
    let place = Place::open();
    let mut browsers = browsers(&place);
    let hidden = place.post(&mut browsers[5], "/teams/1/hide", &[("hidden", "1")]);
    assert_eq!(hidden.status, 303);
    for (browser, expected) in browsers.iter_mut().zip([404, 404, 200, 200, 200, 200]) {
        for path in ["/teams/1", "/api/teams/1"] {
            let answer = place.get(browser, path);
            assert_eq!((answer.status, answer.body.contains("Gatos")), (expected, expected == 200), "{path}");
        }
        assert_eq!(place.get(browser, "/api/teams").body.contains("Gatos"), expected == 200);
    }
}

#[test]
fn a_token_of_a_program_may_less_than_its_owner() {
    let place = Place::open();
    let [_, _, mut member, .., mut organiser] = browsers(&place);
    for (role, scope) in [("member", "read"), ("member", "submit"), ("organiser", "submit")] {
        let browser = if role == "member" { &mut member } else { &mut organiser };
        let page = place.post(browser, "/account/tokens", &[("scope", scope), ("label", "laptop")]);
        assert_eq!(page.status, 200, "{}", page.body);
        let bearer = format!("Bearer {}", between(&page.body, "<code class=\"secret\">", "<"));
        let ask = |path: &str, bearer: &str| {
            let headers = [("host", "localhost:8080"), ("authorization", bearer)];
            place.send("GET", path, &headers, "")
        };
        let contest = ask("/api/contest", &bearer);
        assert!(contest.status == 200 && contest.json()["you"]["name"].is_string());
        assert_eq!(ask("/api/organise", &bearer).status, 403);
        assert_eq!(ask("/api/account", &bearer).status, 403);
        // A wrong one is nobody, whatever the cookies say.
        assert_eq!(ask("/api/account", "Bearer x").status, 401);
    }
}
