//! What strangers try.

use crate::browser::{Browser, PASSWORD, Place};
use agon_server::http::Openness;

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

#[test]
fn a_form_without_its_token_changes_nothing() {
    let place = Place::open();
    let mut ana = place.joined("ana", "");
    let mut other = Browser::default();
    let tokens = [String::new(), "0".repeat(64), place.token(&mut other)];
    for token in &tokens {
        let answer = place.post_with(&mut ana, "/teams", token, &[("team", "Gatos")]);
        assert!(answer.status == 403 && answer.body.contains("Nothing was changed"), "{}", answer.body);
    }
    // The token of before the log-in is not that of the session.
    let mut ben = Browser::default();
    let before = place.token(&mut ben);
    let fields = [("name", "ben"), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(place.post_with(&mut ben, "/join", &before, &fields).status, 303);
    assert_eq!(place.post_with(&mut ben, "/teams", &before, &[("team", "Gatos")]).status, 403);
    assert_eq!(place.get(&mut ana, "/api/teams").json()["teams"], serde_json::json!([]));
    assert_eq!(place.post(&mut ben, "/teams", &[("team", "Gatos")]).status, 303);
}

#[test]
fn other_sites_and_other_names_are_refused_before_anybody_looks() {
    let place = Place::open();
    let mut ana = place.joined("ana", "");
    let token = place.token(&mut ana);
    let cookies: Vec<String> = ana.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let (cookies, body) = (cookies.join("; "), format!("form={token}&team=Gatos"));
    let host = ("host", "localhost:8080");
    for headers in [
        vec![("host", "evil.example:8080")],
        vec![],
        vec![host, ("origin", "http://evil.example")],
        vec![host, ("origin", "null")],
        vec![host, ("sec-fetch-site", "cross-site")],
        vec![host, ("sec-fetch-site", "same-site")],
    ] {
        let all = [headers.clone(), vec![("cookie", &cookies), FORM]].concat();
        let answer = place.send("POST", "/teams", &all, &body);
        assert_eq!((answer.status, answer.header("set-cookie")), (403, ""), "{headers:?}");
    }
    let answer = place.send("POST", "/teams", &[host, ("cookie", &cookies), FORM], &body);
    assert_eq!(answer.status, 303, "the same is right from here: {}", answer.body);
}

#[test]
fn cookies_fit_how_the_server_is_reached() {
    for (openness, name, secure) in [
        (Openness::Loopback, "agon-8080-session", false),
        (Openness::InsecureLan, "agon-8080-session", false),
        (Openness::BehindProxy, "__Host-agon-session", true),
    ] {
        let place = Place::empty(openness);
        let mut browser = Browser::default();
        let link = place.link();
        let fields = [("name", "olga"), ("password", PASSWORD), ("again", PASSWORD)];
        let answer = place.post(&mut browser, &link, &fields);
        let mut set = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().expect("text"));
        let cookie = set.find(|cookie| cookie.starts_with(&format!("{name}="))).expect("a session");
        assert!(cookie.contains("; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
        assert_eq!(cookie.contains("; Secure"), secure, "{cookie}");
        let page = place.get(&mut browser, "/").body;
        assert_eq!(page.contains("Not encrypted"), openness == Openness::InsecureLan);
    }
}

#[test]
fn text_of_users_is_text() {
    let place = Place::open();
    let mut ana = place.joined("ana", "");
    let team = "<script>alert(1)</script>";
    assert_eq!(place.post(&mut ana, "/teams", &[("team", team)]).status, 303);
    for path in ["/", "/teams", "/teams/1", "/account"] {
        let page = place.get(&mut ana, path);
        assert!(page.body.contains("&lt;script&gt;alert(1)") && !page.body.contains("<script"), "{path}");
        assert!(!page.header("content-security-policy").contains("script-src"));
        assert!(page.header("content-security-policy").contains("form-action 'self'; frame-ancestors 'none'"));
    }
    // Also what was refused and is shown again.
    let mut ben = Browser::default();
    let fields = [("name", "\"><script>"), ("password", PASSWORD), ("again", PASSWORD)];
    let page = place.post(&mut ben, "/join", &fields);
    assert!(page.status == 422 && page.body.contains("value=\"&quot;&gt;&lt;script&gt;\""), "{}", page.body);
    assert!(!page.body.contains("<script"));
}

#[test]
fn whoever_guesses_waits_and_others_do_not() {
    let place = Place::open();
    let mut ana = place.joined("ana", "");
    let room = "10.0.0.7".parse().ok();
    let mut guesser = Browser { address: room, ..Browser::default() };
    let mut last = 0;
    for _ in 0..30 {
        let answer = place.post(&mut guesser, "/login", &[("name", "ana"), ("password", "wrong horse")]);
        last = answer.status;
        if last == 429 {
            let seconds: u64 = answer.header("retry-after").parse().expect("seconds");
            assert!((1..=301).contains(&seconds) && answer.body.contains(&format!("again in {seconds} s")));
            break;
        }
        assert!(last == 403 && answer.body.contains("The name or the password is wrong"));
    }
    assert_eq!(last, 429);
    assert_eq!(place.get(&mut ana, "/api/account").status, 200, "whoever is in stays in");
    let mut ben = Browser { address: room, ..Browser::default() };
    let fields = [("name", "ben"), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(place.post(&mut ben, "/join", &fields).status, 303, "others of the same room are not locked out");
    place.pass(5 * 60_000);
    assert_eq!(place.post(&mut guesser, "/login", &[("name", "ana"), ("password", PASSWORD)]).status, 303);
}

#[test]
fn bodies_are_bounded_and_are_forms() {
    let place = Place::open();
    let host = ("host", "localhost:8080");
    let large = "x".repeat(20_000);
    assert_eq!(place.send("POST", "/join", &[host, FORM], &large).status, 413);
    assert_eq!(place.send("POST", "/join", &[host, FORM, ("content-length", "99999999")], "").status, 413);
    assert_eq!(place.send("POST", "/join", &[host, ("content-type", "application/json")], "{}").status, 415);
    assert_eq!(place.send("POST", "/join", &[host, ("content-type", "text/plain")], "form=x").status, 415);
    assert_eq!(place.send("DELETE", "/join", &[host], "").status, 405);
    assert_eq!(place.send("GET", "/nothing", &[host], "").status, 404);
    for path in ["/teams/0x1", "/teams/+1", "/teams/99999999999999999999", "/teams/1%2f..", "/teams/%ff"] {
        let status = place.send("GET", path, &[host], "").status;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
}
