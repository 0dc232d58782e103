//! What people do with a contest, page by page.

use crate::browser::{Browser, PASSWORD, Place, between};
use agon_server::http::Openness;

#[test]
fn a_contest_is_made_in_the_page() {
    let place = Place::empty(Openness::Loopback);
    assert!(place.get(&mut Browser::default(), "/").body.contains("The organiser has not made the contest yet"));
    let link = place.link();
    let mut organiser = Browser::default();
    assert!(place.get(&mut organiser, &link).body.contains("Become the organiser"));
    // What is wrong is told, and the link still works.
    let fields = [("name", "olga"), ("password", "short"), ("again", "short")];
    let answer = place.post(&mut organiser, &link, &fields);
    assert!(answer.status == 422 && answer.body.contains("Password: At least 10 characters"), "{}", answer.body);
    let fields = [("name", "olga"), ("password", PASSWORD), ("again", "another horse")];
    let answer = place.post(&mut organiser, &link, &fields);
    assert!(answer.status == 409 && answer.body.contains("The two passwords differ"));
    assert!(answer.body.contains("value=\"olga\"") && !answer.body.contains(PASSWORD));
    let fields = [("name", "olga"), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(place.post(&mut organiser, &link, &fields).header("location"), "/organise");
    assert_eq!(place.get(&mut Browser::default(), &link).status, 410, "it works once");

    let page = place.get(&mut organiser, "/organise");
    assert!(page.body.contains("Make the contest"));
    let fields = [("name", "Cup"), ("game", "planet-wars"), ("registration", "invited")];
    assert_eq!(place.post(&mut organiser, "/organise/contest", &fields).status, 303);
    let contest = place.get(&mut Browser::default(), "/api/contest").json();
    assert_eq!((&contest["name"], &contest["game"]), (&"Cup".into(), &"planet-wars".into()));
    assert!(place.get(&mut organiser, "/organise").body.contains("contest.make"), "it is in the audit");
    let fields = [("name", "Cup"), ("game", "grid"), ("registration", "open")];
    let answer = place.post(&mut organiser, "/organise/contest", &fields);
    assert!(answer.status == 409 && answer.body.contains("another game is another contest"));
}

#[test]
fn an_invited_person_makes_an_account_and_a_team() {
    let place = Place::empty(Openness::Loopback);
    place.set_contest("");
    let mut organiser = place.organiser();
    let fields = [("role", "player"), ("uses", "1"), ("days", "3")];
    place.post(&mut organiser, "/organise/invites", &fields);
    let invites = place.get(&mut organiser, "/api/organise").json();
    let code = invites["invites"][0]["code"].as_str().expect("a code");
    let mut ana = Browser::default();
    assert!(place.get(&mut ana, &format!("/join?code={code}")).body.contains(code), "the address fills the code in");
    let fields = [("name", "ana"), ("password", PASSWORD), ("again", PASSWORD)];
    assert_eq!(place.post(&mut ana, "/join", &fields).status, 422, "a code is needed");
    let mut ana = place.joined("ana", code);
    let mut other = Browser::default();
    let fields = [("name", "ben"), ("password", PASSWORD), ("again", PASSWORD), ("code", code)];
    assert_eq!(place.post(&mut other, "/join", &fields).status, 410, "it was used up");
    assert_eq!(place.post(&mut ana, "/teams", &[("team", "Los Gatos")]).header("location"), "/teams/1");
    assert!(place.get(&mut ana, "/").body.contains("You are in the team Los Gatos"));
    let account = place.get(&mut ana, "/api/account").json();
    assert_eq!((&account["you"]["role"], &account["you"]["team"]["name"]), (&"captain".into(), &"Los Gatos".into()));
}

#[test]
fn sessions_end_when_their_owner_says_so() {
    let place = Place::open();
    let mut ana = place.joined("ana", "");
    let mut laptop = Browser::default();
    let fields = [("name", "ANA"), ("password", PASSWORD)];
    assert_eq!(place.post(&mut laptop, "/login", &fields).header("location"), "/");
    let sessions = place.get(&mut laptop, "/api/account").json();
    let other = sessions["sessions"].as_array().expect("a list").iter().find(|session| session["this"] == false);
    let number = &other.expect("another session")["number"];
    let stolen = ana.clone();
    assert_eq!(place.post(&mut laptop, &format!("/account/sessions/{number}/end"), &[]).status, 303);
    assert_eq!(place.get(&mut ana, "/api/account").status, 401);
    assert_eq!(place.get(&mut stolen.clone(), "/api/account").status, 401);
    let stolen = laptop.clone();
    assert_eq!(place.post(&mut laptop, "/logout", &[]).status, 303);
    assert!(!laptop.cookies.keys().any(|name| name.ends_with("session")));
    assert_eq!(place.get(&mut stolen.clone(), "/api/account").status, 401, "the server has forgotten it, too");
}

#[test]
fn a_lost_password_is_chosen_anew_by_a_link() {
    let place = Place::open();
    let (mut organiser, mut ana) = (place.organiser(), place.joined("ana", ""));
    let accounts = place.get(&mut organiser, "/api/organise").json();
    let row = accounts["accounts"].as_array().expect("a list").iter().find(|row| row["name"] == "ana");
    let number = &row.expect("ana is there")["number"];
    let page = place.post(&mut organiser, &format!("/organise/accounts/{number}/link"), &[]);
    let link = between(&page.body, "<code class=\"secret\">http://localhost:8080", "<");
    let mut phone = Browser::default();
    assert!(place.get(&mut phone, link).body.contains("ana"));
    let fields = [("password", "battery staple"), ("again", "battery staple")];
    assert_eq!(place.post(&mut phone, link, &fields).header("location"), "/");
    assert_eq!(place.get(&mut ana, "/api/account").status, 401, "the old sessions have ended");
    assert_eq!(place.get(&mut phone, "/api/account").json()["you"]["name"], "ana");
    assert_eq!(place.get(&mut Browser::default(), link).status, 410);

    let disable = format!("/organise/accounts/{number}/disable");
    assert_eq!(place.post(&mut organiser, &disable, &[("reason", "")]).status, 422);
    assert_eq!(place.post(&mut organiser, &disable, &[("reason", "shared it")]).status, 303);
    let fields = [("name", "ana"), ("password", "battery staple")];
    let answer = place.post(&mut Browser::default(), "/login", &fields);
    assert!(answer.status == 403 && answer.body.contains("This account is disabled: shared it"), "{}", answer.body);
    let answer = place.post(&mut Browser::default(), "/login", &[("name", "ana"), ("password", PASSWORD)]);
    assert!(!answer.body.contains("shared it"), "only its owner reads the reason");
}

#[test]
fn pages_are_in_the_language_of_the_browser_or_the_chosen_one() {
    let place = Place::open();
    let mut browser = Browser { language: "es-AR,es;q=0.9", ..Browser::default() };
    let page = place.get(&mut browser, "/join");
    assert!(page.body.contains("<html lang=\"es\">") && page.body.contains("Crear una cuenta"));
    let answer = place.post(&mut browser, "/language", &[("language", "en"), ("to", "/join")]);
    assert_eq!(answer.header("location"), "/join");
    assert!(place.get(&mut browser, "/join").body.contains("Make an account"));
    let answer = place.post(&mut browser, "/language", &[("language", "es"), ("to", "//evil.example")]);
    assert_eq!(answer.header("location"), "/");
}

#[test]
fn a_contest_of_a_file_is_not_changed_in_the_page() {
    use agon_contest::ContestFile;
    use agon_server::contest::{Contest, Source};
    let place = Place::open();
    let mut organiser = place.organiser();
    assert_eq!(place.post(&mut organiser, "/organise/registration", &[("registration", "closed")]).status, 303);
    assert_eq!(place.get(&mut organiser, "/api/contest").json()["registration"], "closed");
    let file = ContestFile::new("Cup", "grid").expect("a name");
    let contest = Contest { file, source: Source::Disk };
    place.database.transact(move |sql| contest.write(sql, 0)).expect("it is written");
    let answer = place.post(&mut organiser, "/organise/registration", &[("registration", "open")]);
    assert!(answer.status == 409 && answer.body.contains("edit the file"), "{}", answer.body);
    assert_eq!(place.get(&mut organiser, "/api/contest").json()["registration"], "invited");
}
