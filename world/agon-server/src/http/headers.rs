//! What every answer says about itself to the browser.

use axum::{
    http::{
        HeaderName, HeaderValue,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS},
    },
    response::Response,
};

/// The headers of all answers. With `no-referrer`, browsers would hide where the forms of this server come from.
const HEADERS: [(HeaderName, &str); 7] = [
    (CACHE_CONTROL, "no-store"),
    (REFERRER_POLICY, "same-origin"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-embedder-policy"), "require-corp"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];
/// The policy of an answer that is no page: whatever it has in it, nothing is shown or run.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// Adds the headers of all answers. A page has a policy of its own.
pub fn add_headers(answer: &mut Response) {
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
}
