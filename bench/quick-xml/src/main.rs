//! The peer of bench/parse.ts in Rust: the rows of an information table, read by quick-xml.
//!
//! `quick-xml-peer FILE`: one line of input, one pass, one line of JSON with seconds of CPU and rows.
//! `quick-xml-peer --peak FILE`: one pass, then the peak memory in KiB.
//! It finds the same twelve fields as the other peers and reads the five numbers; it checks nothing else.

use quick_xml::events::Event;
use quick_xml::reader::Reader;
use std::io::{BufRead, Write};

#[derive(Default)]
struct Row {
    texts: [String; 7],
    numbers: [i64; 5],
}

const TEXTS: [&[u8]; 7] = [
    b"nameOfIssuer", b"titleOfClass", b"cusip", b"sshPrnamtType", b"putCall", b"investmentDiscretion",
    b"otherManager",
];
const NUMBERS: [&[u8]; 5] = [b"value", b"sshPrnamt", b"Sole", b"Shared", b"None"];

/// The second `<XML>` part of a submission: the first is the cover page.
fn table_of(submission: &str) -> &str {
    let start = submission.rmatch_indices("<XML>").next().expect("an <XML> part").0 + 5;
    let end = submission.rfind("</XML>").expect("a closed <XML> part");
    submission[start..end].trim()
}

fn rows_of(xml: &str) -> Vec<Row> {
    let mut reader = Reader::from_str(xml);
    let mut rows = Vec::new();
    let mut row = Row::default();
    let mut field: Option<(bool, usize)> = None;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(tag) => {
                let name = tag.local_name();
                if name.as_ref() == b"infoTable" {
                    row = Row::default();
                }
                field = place_of(name.as_ref());
            }
            Event::Text(text) => match field {
                Some((true, at)) => row.texts[at].push_str(&text.decode().expect("UTF-8")),
                Some((false, at)) => row.numbers[at] = text.decode().expect("UTF-8").trim().parse().unwrap_or(0),
                None => {}
            },
            Event::End(tag) => {
                field = None;
                if tag.local_name().as_ref() == b"infoTable" {
                    rows.push(std::mem::take(&mut row));
                }
            }
            Event::Eof => return rows,
            _ => {}
        }
    }
}

fn place_of(name: &[u8]) -> Option<(bool, usize)> {
    if let Some(at) = TEXTS.iter().position(|one| *one == name) {
        return Some((true, at));
    }
    NUMBERS.iter().position(|one| *one == name).map(|at| (false, at))
}

/// Seconds of CPU of this process: user and system, from /proc.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    stat.split(' ').next().and_then(|text| text.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("VmHWM");
    line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).expect("KiB")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.last().expect("a file");
    let bytes = std::fs::read(path).expect("a readable file");
    let submission: String = bytes.iter().map(|&byte| byte as char).collect();
    let xml = table_of(&submission);
    if arguments[0] == "--peak" {
        rows_of(xml);
        println!("{}", peak_kib());
        return;
    }
    for _ in std::io::stdin().lock().lines() {
        let before = cpu_seconds();
        let (mut passes, mut count) = (0, 0);
        while passes == 0 || cpu_seconds() - before < 0.5 {
            count = rows_of(xml).len();
            passes += 1;
        }
        println!("{{\"seconds\":{},\"count\":{}}}", (cpu_seconds() - before) / passes as f64, count);
        std::io::stdout().flush().expect("an open pipe");
    }
}
