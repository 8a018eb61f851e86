//! How often the layer allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use http::{Method, Request, Response};
use simdpct::Kinds;
use simdpct::path::PathPolicy;
use simdpct_tower::PathGuardLayer;
use tower::{Layer, Service, service_fn};

/// The system's allocator, which counts the calls of this thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all calls are forwarded to the system's allocator. Counting uses a thread-local without a
// destructor, which does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's contract, passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations that a request through the layer makes.
fn allocations(layer: PathGuardLayer, method: Method, target: &str) -> usize {
    let mut guard = layer.layer(service_fn(|_| ready(Ok::<_, Infallible>(Response::new(String::new())))));
    let request = Request::builder().method(method).uri(target).body(()).expect("a valid target");
    // The first use of the library reads the environment, which allocates.
    let _ = simdpct::Level::active();
    let before = ALLOCATIONS.get();
    let response = pin!(guard.call(request)).poll(&mut Context::from_waker(Waker::noop()));
    let after = ALLOCATIONS.get();
    assert!(matches!(response, Poll::Ready(Ok(_))));
    after - before
}

#[test]
fn canonical_path_costs_no_allocation() {
    const GUARD: PathGuardLayer = PathGuardLayer::new().refuse_path(Kinds::PERCENT).refuse_query(Kinds::NUL);
    let long = format!("/{}?{}", "a/.well-known;x=1/%E2%82%AC/".repeat(1000), "b=%41&".repeat(1000));
    for target in ["/", "/.well-known/a;b?c=%41+d", "http://example.com/a/%C3%A9?b", &long] {
        assert_eq!(allocations(GUARD, Method::GET, target), 0, "{target}");
    }
    for policy in PathPolicy::PRESETS.iter().map(|&(_, policy)| policy) {
        assert_eq!(allocations(GUARD.policy(policy), Method::GET, "/a/b?c"), 0);
    }
    assert_eq!(allocations(GUARD, Method::OPTIONS, "*"), 0);
    assert_eq!(allocations(GUARD, Method::CONNECT, "example.com:443"), 0);
    assert_eq!(allocations(PathGuardLayer::new(), Method::GET, "/a?b=%00"), 0);
}

/// The path, its query, the target as received and the extensions that hold it.
#[test]
fn changed_path_costs_few_allocations_whatever_its_length() {
    for target in ["/%61", "/a/../%61?b=c", "http://example.com/%61//"] {
        let count = allocations(PathGuardLayer::new(), Method::GET, target);
        assert!((1..=8).contains(&count), "{target}: {count}");
    }
    let long = format!("/{}?{}", "%61/../".repeat(4000), "b".repeat(4000));
    let count = allocations(PathGuardLayer::new(), Method::GET, &long);
    assert!((1..=8).contains(&count), "{count}");
}

#[test]
fn recorded_findings_allocate() {
    assert_ne!(allocations(PathGuardLayer::new().record_findings(), Method::GET, "/"), 0);
}
