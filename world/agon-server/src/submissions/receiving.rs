//! The requests that bring versions: from programs as plain bytes, and from pages as forms with files.
//!
//! What arrives goes to a file piece by piece: nothing large is in memory, and nobody who sends slowly holds anything but a
//! connection. A thread is used for each piece, not for the time between two of them.

use super::{
    documents::receipt_document,
    pipeline::Pipeline,
    receipt::{Receipt, announce, receive},
    upload::{FolderWriter, UPLOAD_LIMIT, Upload, UploadForm, UploadWriter},
};
use crate::{
    Conflict, Error, Refusal, Result,
    http::{BodyError, Form, Incoming},
    routes::{Site, Visit, document, refused_document, refused_page, see},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, FromRequest as _, Multipart, Path, Request, State, multipart::Field},
    http::{StatusCode, header::AUTHORIZATION, request::Parts},
    response::{IntoResponse as _, Response},
    routing::post,
};
use hyper::body::Frame;
use std::{
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task,
};

/// So many uploads come at the same time: each may take the room of one on the disk. Others are asked to come again.
const AT_ONCE: usize = 64;
/// When they are, in milliseconds.
const AGAIN_MS: i64 = 5_000;
/// The most bytes of a form that are read before something is done with them. The heads of its parts must fit.
const AHEAD: usize = 256 << 10;
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

/// What has come next of an upload.
enum Part {
    /// A file of this name begins, which is all that is sent.
    File(String),
    /// A file at this path in a folder begins.
    OfFolder(String),
    /// Bytes of the file.
    Bytes(Bytes),
}

/// Returns the routes that bring versions.
pub fn receiving(site: &Arc<Site>, pipeline: &Pipeline) -> Router {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let state = Receiving { site: Arc::clone(site), pipeline: pipeline.clone(), room };
    Router::new()
        .route("/api/teams/{number}/versions", post(of_program))
        // Its body has a bound of its own, which is larger.
        .route("/teams/{number}/versions", post(of_page).layer(DefaultBodyLimit::disable()))
        .with_state(state)
}

/// Receives the bytes of a program, which shows its token. What they are is in the query.
async fn of_program(State(state): State<Receiving>, Path(team): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let mut incoming = match Incoming::new(&parts.headers, body, UPLOAD_LIMIT as usize) {
        Ok(incoming) => incoming,
        Err(why) => return refused_document(&broken(why)),
    };
    let received = async {
        // A browser adds cookies to the requests of other sites, but no token.
        if !parts.headers.contains_key(AUTHORIZATION) {
            return Err(Refusal::LogIn.into());
        }
        let (visit, allowed) = visit(&state, &parts, Form::default(), &team).await?;
        allowed?;
        let form = UploadForm::named(visit.query.text("form"));
        let form = form.ok_or_else(|| Refusal::Invalid { field: "form", why: "there is no such form".to_owned() })?;
        let name = format!("{}.{}", visit.query.text("name"), form.name());
        let _room = room(&state)?;
        let mut writing = Writing::new(state.pipeline.folder(), Some(form));
        writing = writing.take(Part::File(name)).await?;
        while let Some(bytes) = incoming.piece().await.map_err(broken)? {
            writing = writing.take(Part::Bytes(bytes)).await?;
        }
        finish(&state, &parts, &team, writing).await
    };
    match received.await {
        Ok((team, receipt)) => document(receipt_document(team, &receipt)),
        Err(why) => {
            // Whoever still sends would see a lost connection instead of the answer.
            while let Ok(Some(_)) = incoming.piece().await {}
            refused_document(&why)
        }
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
    let ahead = Arc::new(AtomicUsize::new(AHEAD));
    let bounded = Request::from_parts(parts.clone(), bounded(body, Arc::clone(&ahead)));
    let form = match Multipart::from_request(bounded, &()).await {
        Ok(form) => form,
        Err(why) => return why.into_response(),
    };
    let mut form = Pieces { form, ahead };
    let token = form.token().await;
    let (visit, allowed) = match visit(&state, &parts, token, &team).await {
        Ok(visit) => visit,
        Err(_) => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
    };
    let received = async {
        allowed?;
        if !visit.has_sent_form() {
            return Err(Refusal::Conflict(Conflict::Other(visit.words().stale_form.clone())).into());
        }
        let _room = room(&state)?;
        let writing = form.files(Writing::new(state.pipeline.folder(), None)).await?;
        finish(&state, &parts, &team, writing).await
    };
    match received.await {
        Ok((team, receipt)) => see(&format!("/teams/{team}/versions/{}", receipt.number)),
        Err(why) => {
            form.drain().await;
            if why == Error::Refused(Refusal::LogIn) { see("/login") } else { refused_page(&visit, &why) }
        }
    }
}

/// A form whose parts come one after the other. No more of it is in memory than [`AHEAD`] and what has just come.
struct Pieces {
    form: Multipart,
    ahead: Arc<AtomicUsize>,
}

impl Pieces {
    /// Returns the token of the form, which comes first. It is empty if it is not there.
    async fn token(&mut self) -> Form {
        let mut token = Vec::new();
        if let Ok(Some(mut field)) = self.form.next_field().await
            && field.name() == Some("form")
        {
            while let Some(bytes) = chunk(&mut field, &self.ahead).await.ok().flatten()
                && token.len() <= LONGEST
            {
                token.extend_from_slice(&bytes);
            }
        }
        let is_token = token.len() <= LONGEST && token.iter().all(u8::is_ascii_alphanumeric);
        if is_token { Form::parse(&[b"form=", &token[..]].concat()) } else { Form::default() }
    }

    /// Writes the files.
    async fn files(&mut self, mut writing: Writing) -> Result<Writing> {
        while let Some(mut field) = self.form.next_field().await.map_err(cut_off)? {
            self.ahead.store(AHEAD, Ordering::Relaxed);
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
            writing = writing.take(if is_folder { Part::OfFolder(name) } else { Part::File(name) }).await?;
            while let Some(bytes) = chunk(&mut field, &self.ahead).await? {
                writing = writing.take(Part::Bytes(bytes)).await?;
            }
        }
        Ok(writing)
    }

    /// Reads what is left: whoever still sends would see a lost connection instead of the answer.
    async fn drain(&mut self) {
        while let Ok(Some(mut field)) = self.form.next_field().await {
            self.ahead.store(AHEAD, Ordering::Relaxed);
            while let Ok(Some(_)) = chunk(&mut field, &self.ahead).await {}
        }
    }
}

async fn chunk(field: &mut Field<'_>, ahead: &AtomicUsize) -> Result<Option<Bytes>> {
    let bytes = field.chunk().await.map_err(cut_off)?;
    ahead.store(AHEAD, Ordering::Relaxed);
    Ok(bytes)
}

fn cut_off(_: axum::extract::multipart::MultipartError) -> Error {
    Refusal::Invalid { field: "bot", why: "the form is cut off, or too large".to_owned() }.into()
}

/// Returns a place for an upload, for as long as it comes.
fn room(state: &Receiving) -> Result<OwnedSemaphorePermit> {
    let full = |_| Refusal::TooOften { after_ms: AGAIN_MS }.into();
    Arc::clone(&state.room).try_acquire_owned().map_err(full)
}

/// Looks at who asks, and notes that something comes before it comes. Returns whether it may.
async fn visit(state: &Receiving, parts: &Parts, form: Form, team: &str) -> Result<(Visit, Result<()>)> {
    let (state, parts, team) = (state.clone(), parts.clone(), team.to_owned());
    blocking(move || {
        let visit = Visit::new(Arc::clone(&state.site), &parts, form, vec![team])?;
        let allowed = allowed(&visit);
        Ok((visit, allowed))
    })
    .await
}

fn allowed(visit: &Visit) -> Result<()> {
    let team = visit.number(0, "team")?;
    visit.ask.must(&agon_contest::Act::Submit(team))?;
    if visit.contest.is_none() {
        return Err(Refusal::Conflict(Conflict::Other("there is no contest yet".to_owned())).into());
    }
    announce(&visit.site.database, &visit.limits(), &visit.ask)
}

/// An upload that comes.
struct Writing {
    folder: PathBuf,
    /// The form of a file. If it is not given, the name of the file says it.
    form: Option<UploadForm>,
    file: Option<(UploadWriter, UploadForm, String)>,
    of_folder: Option<FolderWriter>,
}

impl Writing {
    fn new(folder: &std::path::Path, form: Option<UploadForm>) -> Self {
        Self { folder: folder.to_owned(), form, file: None, of_folder: None }
    }

    /// Writes what has come next.
    async fn take(mut self, part: Part) -> Result<Self> {
        blocking(move || {
            self.write(part)?;
            Ok(self)
        })
        .await
    }

    fn write(&mut self, part: Part) -> Result<()> {
        let Self { folder, form, file, of_folder } = self;
        match (part, file, of_folder) {
            (Part::Bytes(bytes), Some((writer, ..)), _) => writer.add(&bytes),
            (Part::Bytes(bytes), None, Some(writer)) => writer.add(&bytes),
            (Part::Bytes(_), None, None) => Err(nothing()),
            (Part::File(name), file @ None, None) => {
                let of_name = || UploadForm::of_file(&name).filter(|kind| *kind != UploadForm::Bundle);
                let form = form.or_else(of_name).ok_or_else(|| Refusal::Invalid {
                    field: "archive",
                    why: "send a .zip, .tar, .tar.gz, .tgz, .tar.zst or .jar".to_owned(),
                })?;
                *file = Some((UploadWriter::new(folder)?, form, name));
                Ok(())
            }
            (Part::OfFolder(path), None, of_folder) => {
                let writer = match of_folder {
                    Some(writer) => writer,
                    None => of_folder.insert(FolderWriter::new(folder)?),
                };
                writer.begin(&path)
            }
            (Part::File(_) | Part::OfFolder(_), ..) => {
                let why = "send one file, or one folder".to_owned();
                Err(Refusal::Invalid { field: "bot", why }.into())
            }
        }
    }

    fn finish(self) -> Result<Upload> {
        match (self.file, self.of_folder) {
            (Some((writer, form, name)), _) => writer.finish(form, &name),
            (None, Some(writer)) => writer.finish(&self.folder),
            (None, None) => Err(nothing()),
        }
    }
}

/// Stores what has arrived. Who may send, and the time, are those of now: an upload may take long.
async fn finish(state: &Receiving, parts: &Parts, team: &str, writing: Writing) -> Result<(i64, Receipt)> {
    let (site, parts, team) = (Arc::clone(&state.site), parts.clone(), team.to_owned());
    let received = blocking(move || {
        let upload = writing.finish()?;
        let visit = Visit::new(site, &parts, Form::default(), vec![team])?;
        let team = visit.number(0, "team")?;
        Ok((team, receive(&visit.site.database, &visit.ask, team, upload)?))
    });
    let received = received.await?;
    state.pipeline.wake();
    Ok(received)
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

/// Returns a body that is as bounded in size and time as what comes in, and ends with an error where more than `ahead` bytes are
/// read of it before they are taken.
fn bounded(mut incoming: Incoming, ahead: Arc<AtomicUsize>) -> Body {
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
    Body::new(Bounded { pieces, ahead })
}

/// A body whose pieces come from a task.
struct Bounded {
    pieces: mpsc::Receiver<Result<Bytes, BodyError>>,
    ahead: Arc<AtomicUsize>,
}

impl hyper::body::Body for Bounded {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let piece = ready!(self.pieces.poll_recv(context));
        Poll::Ready(piece.map(|piece| {
            let piece = piece?;
            let left = self.ahead.load(Ordering::Relaxed);
            self.ahead.store(left.saturating_sub(piece.len()), Ordering::Relaxed);
            if left == 0 { Err(BodyError::TooLarge(AHEAD)) } else { Ok(Frame::data(piece)) }
        }))
    }
}
