//! Many who come at once, and where they are led.

use crate::browser::{Browser, Place, between};
use axum::{body::Body, http::Request};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{runtime, task};
use tower::ServiceExt as _;

#[test]
fn pages_do_not_wait_for_those_who_log_in() {
    const CROWD: usize = 12;
    let place = Place::open();
    let mut browser = Browser::default();
    let token = place.token(&mut browser);
    let cookies: Vec<String> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cookies = cookies.join("; ");
    let ask = |method: &str, path: &str, body: String| {
        let request = Request::builder().method(method).uri(path).header("host", "localhost:8080");
        let request = request.header("cookie", &cookies).header("content-type", "application/x-www-form-urlencoded");
        place.router.clone().oneshot(request.body(Body::from(body)).expect("a request"))
    };
    // One thread more than passwords are hashed at the same time.
    let threads = runtime::Builder::new_current_thread().enable_time().max_blocking_threads(3).build();
    let done = Arc::new(AtomicUsize::new(0));
    threads.expect("a runtime").block_on(async {
        let mut crowd = Vec::new();
        for number in 0..CROWD {
            let login = ask("POST", "/login", format!("form={token}&name=pupil-{number}&password=wrong+horse"));
            let done = Arc::clone(&done);
            crowd.push(task::spawn(async move {
                let status = login.await.expect("an answer").status();
                done.fetch_add(1, Ordering::SeqCst);
                status
            }));
        }
        // All of them are on their way before the page is asked for.
        task::yield_now().await;
        let page = ask("GET", "/teams", String::new()).await.expect("an answer");
        assert_eq!(page.status(), 200);
        let before = done.load(Ordering::SeqCst);
        assert!(before < CROWD / 2, "the page came after {before} of {CROWD}");
        for login in crowd {
            assert_eq!(login.await.expect("it ends"), 403);
        }
    });
}

#[test]
fn a_choice_of_language_leads_back_to_a_page() {
    let place = Place::open();
    let mut ana = Browser::default();
    let back = |page: &str| between(page, "name=\"to\" value=\"", "\"").to_owned();
    assert_eq!(back(&place.get(&mut ana, "/join?code=abc").body), "/join?code=abc");
    let mut ana = place.joined("ana", "");
    place.post(&mut ana, "/teams", &[("team", "Gatos")]);
    let mut ben = place.joined("ben", "");
    let refused = place.post(&mut ben, "/teams/1/rename", &[("team", "Perros")]);
    assert_eq!((refused.status, back(&refused.body).as_str()), (403, "/teams/1"));
    let token = place.post(&mut ana, "/account/tokens", &[("scope", "submit"), ("label", "laptop")]);
    assert_eq!((token.status, back(&token.body).as_str()), (200, "/account"));
}

#[test]
fn whoever_leaves_a_hidden_team_is_led_to_a_page() {
    let place = Place::open();
    let (mut organiser, mut ana) = (place.organiser(), place.joined("ana", ""));
    place.post(&mut ana, "/teams", &[("team", "Gatos")]);
    assert_eq!(place.post(&mut organiser, "/teams/1/hide", &[("hidden", "on")]).status, 303);
    let left = place.post(&mut ana, "/teams/1/leave", &[]);
    assert_eq!(left.status, 303, "{}", left.body);
    let path = left.header("location").to_owned();
    assert_eq!(place.get(&mut ana, &path).status, 200, "{path}");
}

#[test]
fn visitors_are_not_told_what_is_wrong_with_the_host() {
    let place = Place::open();
    let host = [("host", "localhost:8080")];
    let broken = place.database.transact(|sql| {
        sql.run("DROP TABLE contest_settings", &[])?;
        Ok(())
    });
    broken.expect("it is dropped");
    for path in ["/", "/api/contest"] {
        let answer = place.send("GET", path, &host, "");
        assert_eq!(answer.status, 503, "{path}");
        assert!(answer.body.contains("cannot be read or written now"), "{path}: {}", answer.body);
        assert!(!answer.body.contains("table") && !answer.body.contains("memory"), "{path}: {}", answer.body);
    }
    assert!(place.send("GET", "/api/contest", &host, "").json()["error"].is_string());
}
