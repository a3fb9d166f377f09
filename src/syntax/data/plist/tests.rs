//! Tests of property lists, XML and binary.

use super::*;
use crate::syntax::data::tests::{check, long_input, numbered, trouble_kinds};
use crate::syntax::data::{Format, Lines, print};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
                    \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n";

fn xml(inside: &str, expected: &str) {
    check(Format::Plist, &format!("{HEAD}<plist version=\"1.0\">\n{inside}\n</plist>\n"), expected);
}

#[test]
fn values_of_all_kinds() {
    xml(
        "<dict>\n<key>Label</key><string>x</string>\n<key>a</key><array><integer> 5 </integer><real>1.5</real><true/>\
         <false></false><date>2020-01-01T00:00:00Z</date><data>\naGk=\n</data><string/></array>\n<key>a</key><dict/></dict>",
        "map\n  \"Label\": quoted \"x\"\n  \"a\": list\n    - number 5\n    - number 1.5\n    - boolean true\n    \
         - boolean false\n    - other \"2020-01-01T00:00:00Z\"\n    - other \"aGk=\"\n    - quoted \"\"\n  \"a\": map\n",
    );
    check(Format::Plist, "<dict><key>a</key><string>b</string></dict>", "map\n  \"a\": quoted \"b\"\n");
    check(Format::Plist, "\u{feff}<plist><string> b </string></plist>", "quoted \" b \"\n");
}

#[test]
fn what_stands_before_the_first_element_is_read_loosely() {
    let head = "<!-- where it is from: é -->\n<?xml version=\"1.0\"?>\n\
                <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" http://www.apple.com/x.dtd>\n<?more é\n?>\n";
    let text = format!("{head}<dict><key>a</key><string>b</string></dict>");
    check(Format::Plist, &text, "map\n  \"a\": quoted \"b\"\n# own \"where it is from: é\"\n");
    let parsed = parse(text.as_bytes());
    assert_eq!(parsed.tree.roots[0].bytes.of(&text), "<dict><key>a</key><string>b</string></dict>");
    for end in ["<?xml version=\"1.0\"", "<!DOCTYPE plist", "<!DOCTYPE plist [ <!ELEMENT a ANY> ", "<!-- a"] {
        assert_eq!(parse(end.as_bytes()).troubles.len(), 1, "{end}");
    }
    assert_eq!(parse("<?a?>".repeat(300_000).as_bytes()).troubles.len(), 1);
}

#[test]
fn strings_lead_back_through_entities() {
    let text =
        "<plist><string>cd /x &amp;&amp; &#60;run&#x3e; <![CDATA[<&amp;\r\n]]>é<!-- no -->\r\n&quot;</string></plist>";
    check(Format::Plist, text, "quoted \"cd /x && <run> <&amp;\\né\\n\\\"\"\n# after \"no\"\n");
    let parsed = parse(text.as_bytes());
    let scalar = parsed.tree.roots[0].as_scalar().unwrap();
    let source = |word: &str| {
        let at = scalar.text.text.find(word).unwrap();
        scalar.text.map.to_file(Bytes::new(at, at + word.len())).of(text)
    };
    assert_eq!(source("&&"), "&amp;&amp;");
    assert_eq!(source("<run>"), "&#60;run&#x3e;");
    assert_eq!(source("<&amp;"), "<&amp;");
    assert_eq!(source("run"), "run");
    assert_eq!(source("é"), "é");
    assert_eq!(parsed.tree.roots[0].bytes.of(text).get(..5), Some("cd /x"));
}

#[test]
fn comments_know_their_place() {
    xml(
        "<!-- top -->\n<dict> <!-- one -->\n  <key>a</key> <!-- two -->\n  <true/>\n</dict>",
        "map\n  \"a\": boolean true\n# own \"top\"\n# after \"one\"\n# after \"two\"\n",
    );
}

#[test]
fn a_dict_with_a_gap_is_tainted() {
    xml(
        "<dict><key>a</key><key>b</key><true/><string>c</string><key>d</key></dict>",
        "!map\n  \"a\": !nothing\n  \"b\": boolean true\n  \"d\": !nothing\n! Syntax a key without a value\n\
         ! Syntax a value without a key\n! Syntax a key without a value\n",
    );
    xml(
        "<dict>x<key>a</key><foo/></dict>",
        "!map\n  \"a\": !nothing\n! Syntax text between the elements\n! Syntax `foo` is no element of a property list\n",
    );
    xml("<string>a<b/></string>", "!nothing\n! Syntax an element inside a text\n");
}

#[test]
fn what_is_no_plist_is_refused_with_a_place() {
    let cases: [(&[u8], u32); 8] = [
        (b"", 0),
        (b"{ a = b; }", 0),
        (b" // x\n{}", 1),
        (b"<0fbd77>", 0),
        (b"Label = x", 0),
        (b"<plist><dict>\n<key>a</kex></dict></plist>", 20),
        (b"<plist></plist>", 15),
        (b"<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><string>&a;</string></plist>", 17),
    ];
    for (text, at) in cases {
        let parsed = parse(text);
        assert_eq!(trouble_kinds(&parsed), [TroubleKind::Unparsable], "{text:?}");
        assert_eq!(parsed.troubles[0].at.start, at, "{:?}", parsed.troubles);
        assert!(parsed.tree.roots.is_empty());
    }
    assert_eq!(trouble_kinds(&parse(b"\xff\xfe<\0")), [TroubleKind::Encoding]);
    assert_eq!(trouble_kinds(&parse(b"<plist><string>\xe9</string></plist>")), [TroubleKind::Encoding]);
}

#[test]
fn limits_hold() {
    let limit = [TroubleKind::Limit];
    assert_eq!(trouble_kinds(&parse("<array>".repeat(1 << 17).as_bytes())), limit);
    let attributes: String = numbered(|n| format!(" a{n}=''"));
    assert_eq!(trouble_kinds(&parse(format!("<plist{attributes}/>").as_bytes())), limit);
    for unit in ["<", "<a ", "<!--", "<![CDATA[", "<!", "<?", "&", "<a/>", "<string>", "]]>", "<!DOCTYPE", "<true/>x"] {
        long_input(Format::Plist, &unit.repeat((1 << 18) / unit.len()));
    }
    for unit in ["<string>a&amp;</string>", "<key>a</key><true/>", "<!-- ==== -->", "x", "<key>&#65;</key>"] {
        long_input(Format::Plist, &format!("<plist><dict>{}</dict></plist>", unit.repeat((1 << 18) / unit.len())));
    }
    long_input(Format::Plist, &format!("<plist><string>{}</string></plist>", "&amp;\r<![CDATA[\r]]>".repeat(1 << 13)));
}

/// Returns a binary list of these objects, the last of which is the root. References take two bytes.
fn binary(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    for object in objects {
        offsets.push(u32::try_from(out.len()).unwrap());
        out.extend(object);
    }
    let table = out.len() as u64;
    for offset in &offsets {
        out.extend(offset.to_be_bytes());
    }
    out.extend([0, 0, 0, 0, 0, 0, 4, 2]);
    out.extend((objects.len() as u64).to_be_bytes());
    out.extend((objects.len() as u64 - 1).to_be_bytes());
    out.extend(table.to_be_bytes());
    out
}

fn string(text: &str) -> Vec<u8> {
    let mut out = vec![0x5f, 0x10, u8::try_from(text.len()).unwrap()];
    out.extend(text.as_bytes());
    out
}

fn list(items: &[u16]) -> Vec<u8> {
    let mut out = vec![0xaf, 0x11];
    out.extend(u16::try_from(items.len()).unwrap().to_be_bytes());
    for item in items {
        out.extend(item.to_be_bytes());
    }
    out
}

#[test]
fn binary_lists_have_no_places() {
    let dict = vec![0xd2, 0, 0, 0, 1, 0, 2, 0, 3];
    let objects = [
        string("Label"),
        string("Args"),
        string("x"),
        list(&[4, 5, 6, 2]),
        vec![0x10, 7],
        vec![0x09],
        vec![0x42, 1, 2],
        dict,
    ];
    let parsed = parse(&binary(&objects));
    assert_eq!(parsed.troubles, []);
    assert_eq!(
        print(&parsed.tree),
        "map\n  \"Label\": quoted \"x\"\n  \"Args\": list\n    - number 7\n    - boolean true\n    - other \"\"\n    - quoted \"x\"\n"
    );
    assert_eq!(parsed.tree.lines, Lines::Binary);
    let label = parsed.tree.roots[0].get("Label").unwrap().as_scalar().unwrap();
    assert_eq!(label.text.file_bytes(), Bytes::new(0, 0));
    assert_eq!(label.text.map.to_file(Bytes::new(0, 1)), Bytes::new(0, 0));
}

#[test]
fn broken_binary_lists_are_refused() {
    let whole = binary(&[string("abc"), list(&[0, 0])]);
    for len in 6..whole.len() {
        let parsed = parse(&whole[..len]);
        assert_eq!(trouble_kinds(&parsed), [TroubleKind::Unparsable], "{len}");
        assert_eq!(parsed.tree.lines, Lines::Binary);
    }
    for at in 8..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut broken = whole.clone();
            broken[at] = value;
            let _ = parse(&broken);
        }
    }
    assert_eq!(trouble_kinds(&parse(&binary(&[list(&[0])]))), [TroubleKind::Unparsable]);
}

#[test]
fn binary_bombs_are_refused_soon() {
    let start = std::time::Instant::now();
    let wide: Vec<Vec<u8>> = std::iter::once(string("x")).chain((0..9).map(|n| list(&[n; 100]))).collect();
    assert_eq!(trouble_kinds(&parse(&binary(&wide))), [TroubleKind::Limit]);
    let deep: Vec<Vec<u8>> = std::iter::once(string("x")).chain((0..300).map(|n| list(&[n]))).collect();
    assert_eq!(trouble_kinds(&parse(&binary(&deep))), [TroubleKind::Limit]);
    let shared =
        [vec![0x5f, 0x12, 0, 4, 0, 0].into_iter().chain(vec![b'a'; 1 << 18]).collect(), list(&vec![0; 60_000])];
    assert_eq!(trouble_kinds(&parse(&binary(&shared))), [TroubleKind::Limit]);
    // Lists that overlap in the file: each says that it has nearly all bytes of it as items.
    let mut overlapping: Vec<Vec<u8>> = (0..60_000).map(|_| vec![0xaf, 0x12, 0, 1, 0, 0]).collect();
    overlapping.push(list(&(0..60_000).collect::<Vec<u16>>()));
    assert!(!parse(&binary(&overlapping)).troubles.is_empty());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
