//! The requests that bring versions: from programs as plain bytes, and from pages as forms with files.
//!
//! What arrives goes to a file on a thread that may wait, piece by piece: nothing large is in memory, and nobody who sends
//! slowly holds anything but a connection.

use super::{
    documents::receipt_document,
    pipeline::Pipeline,
    receipt::{Receipt, announce, receive},
    upload::{FolderWriter, UPLOAD_LIMIT, Upload, UploadForm, UploadWriter},
};
use crate::{
    Error, Refusal, Result,
    http::{BodyError, Form, Incoming},
    people::Ask,
    routes::{Site, Visit, document, refused_document, refused_page, see},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{FromRequest as _, Multipart, Path, Request, State},
    http::{StatusCode, header::AUTHORIZATION, request::Parts},
    response::{IntoResponse as _, Response},
    routing::post,
};
use hyper::body::Frame;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::{
    sync::{Semaphore, mpsc},
    task,
};

/// So many uploads come at the same time. Others wait for their turn.
const AT_ONCE: usize = 16;
/// A form has as many bytes beside its files.
const BESIDE: usize = 8 << 20;
/// The longest token of a form, and the longest path of a file, in bytes.
const LONGEST: usize = 1_024;

/// What receives versions.
#[derive(Clone)]
struct Receiving {
    site: Arc<Site>,
    pipeline: Pipeline,
    room: Arc<Semaphore>,
}

/// What arrives, on its way to the thread that writes it.
enum Part {
    /// A file of this name begins, which is all that is sent.
    File(String),
    /// A file at this path in a folder begins.
    OfFolder(String),
    /// Bytes of the file.
    Bytes(Bytes),
    /// It is whole.
    End,
}

/// Returns the routes that bring versions.
pub fn receiving(site: &Arc<Site>, pipeline: &Pipeline) -> Router {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let state = Receiving { site: Arc::clone(site), pipeline: pipeline.clone(), room };
    Router::new()
        .route("/api/teams/{number}/versions", post(of_program))
        .route("/teams/{number}/versions", post(of_page))
        .with_state(state)
}

/// Receives the bytes of a program, which shows its token. What they are is in the query.
async fn of_program(State(state): State<Receiving>, Path(team): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let received = async {
        // A browser adds cookies to the requests of other sites, but no token.
        if !parts.headers.contains_key(AUTHORIZATION) {
            return Err(Refusal::LogIn.into());
        }
        let visit = visit(&state, &parts, Form::default(), &team).await?;
        let form = UploadForm::named(visit.query.text("form"));
        let form = form.ok_or_else(|| Refusal::Invalid { field: "form", why: "there is no such form".to_owned() })?;
        let name = format!("{}.{}", visit.query.text("name"), form.name());
        let incoming = Incoming::new(&parts.headers, body, UPLOAD_LIMIT as usize).map_err(broken)?;
        let (sender, upload) = writing(&state, Some(form));
        let sent = async {
            send(&sender, Part::File(name)).await?;
            let mut incoming = incoming;
            while let Some(bytes) = incoming.piece().await.map_err(broken)? {
                send(&sender, Part::Bytes(bytes)).await?;
            }
            send(&sender, Part::End).await
        };
        let sent = sent.await;
        drop(sender);
        finish(&state, visit.ask.clone(), visit.number(0, "team")?, sent, upload).await
    };
    match received.await {
        Ok((team, receipt)) => document(receipt_document(team, &receipt)),
        Err(why) => refused_document(&why),
    }
}

/// Receives the form of a page: first its token, then a file or the files of a folder.
async fn of_page(State(state): State<Receiving>, Path(team): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let most = UPLOAD_LIMIT as usize + BESIDE;
    let body = match Incoming::new(&parts.headers, body, most) {
        Ok(incoming) => incoming,
        Err(why) => return (why.status(), format!("{why}\n")).into_response(),
    };
    let bounded = Request::from_parts(parts.clone(), bounded(body));
    let mut form = match Multipart::from_request(bounded, &()).await {
        Ok(form) => form,
        Err(why) => return why.into_response(),
    };
    let token = match form.next_field().await {
        Ok(Some(field)) if field.name() == Some("form") => field.text().await.unwrap_or_default(),
        _ => String::new(),
    };
    let is_token = token.len() <= LONGEST && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let token = if is_token { Form::parse(format!("form={token}").as_bytes()) } else { Form::default() };
    let visit = match visit(&state, &parts, token, &team).await {
        Ok(visit) => visit,
        Err(Error::Refused(Refusal::LogIn)) => return see("/login"),
        Err(why) => return (StatusCode::FORBIDDEN, format!("{why}\n")).into_response(),
    };
    let received = async {
        if !visit.has_sent_form() {
            return Err(Refusal::Conflict(visit.words().stale_form.clone()).into());
        }
        let (sender, upload) = writing(&state, None);
        let sent = files(&mut form, &sender).await;
        drop(sender);
        finish(&state, visit.ask.clone(), visit.number(0, "team")?, sent, upload).await
    };
    match received.await {
        Ok((team, receipt)) => see(&format!("/teams/{team}/versions/{}", receipt.number)),
        Err(why) => refused_page(&visit, &why),
    }
}

/// Hands the files of a form on.
async fn files(form: &mut Multipart, sender: &mpsc::Sender<Part>) -> Result<()> {
    let cut_off =
        |_| Error::from(Refusal::Invalid { field: "bot", why: "the form is cut off, or too large".to_owned() });
    while let Some(mut field) = form.next_field().await.map_err(cut_off)? {
        let name = field.file_name().unwrap_or_default().to_owned();
        // A browser sends an empty file where none was chosen.
        if name.is_empty() {
            continue;
        }
        if name.len() > LONGEST {
            let why = "the path of a file is too long".to_owned();
            return Err(Refusal::Invalid { field: "bot", why }.into());
        }
        let is_folder = field.name() == Some("folder");
        send(sender, if is_folder { Part::OfFolder(name) } else { Part::File(name) }).await?;
        while let Some(bytes) = field.chunk().await.map_err(cut_off)? {
            send(sender, Part::Bytes(bytes)).await?;
        }
    }
    send(sender, Part::End).await
}

/// Looks at who asks, and notes that something comes before it comes.
async fn visit(state: &Receiving, parts: &Parts, form: Form, team: &str) -> Result<Visit> {
    let (state, parts, team) = (state.clone(), parts.clone(), team.to_owned());
    blocking(move || {
        let visit = Visit::new(Arc::clone(&state.site), &parts, form, vec![team])?;
        let team = visit.number(0, "team")?;
        visit.ask.must(&agon_contest::Act::Submit(team))?;
        if visit.contest.is_none() {
            return Err(Refusal::Conflict("there is no contest yet".to_owned()).into());
        }
        announce(&visit.site.database, &visit.limits(), &visit.ask, team)?;
        Ok(visit)
    })
    .await
}

type Written = task::JoinHandle<Result<Upload>>;

/// Starts a thread that writes what arrives. Where the form of a file is not given, its name says it.
fn writing(state: &Receiving, form: Option<UploadForm>) -> (mpsc::Sender<Part>, Written) {
    let (sender, mut parts) = mpsc::channel(4);
    let (room, folder) = (Arc::clone(&state.room), state.pipeline.folder().to_owned());
    let upload = task::spawn(async move {
        let Ok(_room) = room.acquire().await else { return Err(nothing()) };
        blocking(move || write(&folder, form, &mut parts)).await
    });
    (sender, upload)
}

fn write(folder: &std::path::Path, form: Option<UploadForm>, parts: &mut mpsc::Receiver<Part>) -> Result<Upload> {
    let (mut file, mut of_folder) = (None, None);
    loop {
        match parts.blocking_recv() {
            Some(Part::File(name)) if file.is_none() && of_folder.is_none() => {
                let form = form
                    .or_else(|| UploadForm::of_file(&name))
                    .filter(|kind| form.is_some() || *kind != UploadForm::Bundle);
                let form = form.ok_or_else(|| Refusal::Invalid {
                    field: "archive",
                    why: "send a .zip, .tar, .tar.gz, .tgz, .tar.zst or .jar".to_owned(),
                })?;
                file = Some((UploadWriter::new(folder)?, form, name));
            }
            Some(Part::OfFolder(path)) if file.is_none() => {
                let writer = match &mut of_folder {
                    Some(writer) => writer,
                    None => of_folder.insert(FolderWriter::new(folder)?),
                };
                writer.begin(&path)?;
            }
            Some(Part::File(_) | Part::OfFolder(_)) => {
                let why = "send one file, or one folder".to_owned();
                return Err(Refusal::Invalid { field: "bot", why }.into());
            }
            Some(Part::Bytes(bytes)) => match (&mut file, &mut of_folder) {
                (Some((writer, ..)), _) => writer.add(&bytes)?,
                (None, Some(writer)) => writer.add(&bytes)?,
                (None, None) => return Err(nothing()),
            },
            Some(Part::End) => break,
            None => return Err(Refusal::Invalid { field: "bot", why: "it is cut off".to_owned() }.into()),
        }
    }
    match (file, of_folder) {
        (Some((writer, form, name)), _) => writer.finish(form, &name),
        (None, Some(writer)) => writer.finish(folder),
        (None, None) => Err(nothing()),
    }
}

/// Stores what has arrived. An error of the thread that has written it tells more than one of whoever sent to it.
async fn finish(state: &Receiving, ask: Ask, team: i64, sent: Result<()>, upload: Written) -> Result<(i64, Receipt)> {
    let upload = upload.await.unwrap_or_else(|_| Err(nothing()));
    let upload = match (sent, upload) {
        (Ok(()), upload) => upload?,
        // The writer has only noticed that nothing more comes.
        (Err(why @ Error::Refused(Refusal::TooLarge { .. })), _) => return Err(why),
        (Err(_), Err(why)) => return Err(why),
        (Err(why), Ok(_)) => return Err(why),
    };
    let database = state.pipeline.database().clone();
    let receipt = blocking(move || receive(&database, &ask, team, upload)).await?;
    state.pipeline.wake();
    Ok((team, receipt))
}

async fn send(sender: &mpsc::Sender<Part>, part: Part) -> Result<()> {
    // Whoever does not listen any more has a reason of its own.
    sender.send(part).await.map_err(|_| nothing())
}

fn nothing() -> Error {
    Refusal::Invalid { field: "bot", why: "choose a file or a folder".to_owned() }.into()
}

fn broken(why: BodyError) -> Error {
    match why {
        BodyError::TooLarge(most) => Refusal::TooLarge { most: most as u64 }.into(),
        why => Refusal::Invalid { field: "bot", why: why.to_string() }.into(),
    }
}

/// Does something on a thread that may wait.
async fn blocking<T: Send + 'static>(job: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let panicked = |_| crate::database::DatabaseError::Panicked("a request".to_owned());
    task::spawn_blocking(job).await.map_err(panicked)?
}

/// Returns a body that is as bounded in size and time as what comes in.
fn bounded(mut incoming: Incoming) -> Body {
    let (sender, pieces) = mpsc::channel(2);
    task::spawn(async move {
        loop {
            let piece = incoming.piece().await.transpose();
            let is_last = !matches!(piece, Some(Ok(_)));
            let Some(piece) = piece else { return };
            if sender.send(piece).await.is_err() || is_last {
                return;
            }
        }
    });
    Body::new(Bounded(pieces))
}

/// A body whose pieces come from a task.
struct Bounded(mpsc::Receiver<Result<Bytes, BodyError>>);

impl hyper::body::Body for Bounded {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
