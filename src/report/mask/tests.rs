//! Tests of the mask: what is a secret, what is not, and widths that stay.

use super::mask;

/// `text` with each secret between `«` and `»`; what is hidden must be exactly that.
#[track_caller]
fn check(marked: &str) {
    let plain: String = marked.chars().filter(|c| !matches!(c, '«' | '»')).collect();
    let mut expected = String::new();
    let mut inside = false;
    for c in marked.chars() {
        match c {
            '«' => inside = true,
            '»' => inside = false,
            c if inside => expected.extend(std::iter::repeat_n('•', super::width(c))),
            c => expected.push(c),
        }
    }
    assert_eq!(mask(&plain), expected, "{plain}");
}

#[test]
fn values_under_keys_that_name_a_secret_are_hidden() {
    for marked in [
        "password: «hunter2»",
        "  password: «two words, and more» # a comment",
        "- DB_PASSWORD=«x1;y»",
        "DB_PASSWORD=«hunter2»",
        "export PGPASSWORD='«a b»'",
        r#"{"password": "«a\"b»", "user": "u"}"#,
        r#"{"password":"«a»","api_key":"«b»"}"#,
        r#"-d "{\"password\":\"«x»\",\"user\":\"u\"}""#,
        "config = { password: '«x»', pool: 5 }",
        "config = { password: «x», pool: 5 }",
        ":password => \"«x»\", :pool => 5",
        "mysql --password=«x» --user=u",
        "mysql --password «x» --user u",
        "mysql --db-password \"«x y»\"",
        "ExecStart=/bin/a --token=«abc» --port=1",
        "Environment=\"API_KEY=«abc»\" \"PORT=1\"",
        "Server=h;Password=«abc»;User Id=u",
        "https://h/p?user=u&api_key=«abc»&x=1",
        "spring.datasource.password=«x»",
        "apiKey: \"«abc»\"",
        "accessKey = \"«abc»\"",
        "AWS_SECRET_ACCESS_KEY=«abc/def+ghi=»",
        "private_key: «abc»",
        "SECRET_KEY_BASE=«abc»",
        "clientSecret: «abc»",
        "passwd = «abc def»",
        "credentials: «abc»",
        "ENV[\"DB_PASSWORD\"] = \"«x»\"",
        "ENV['DB_PASSWORD'] ||= '«x»'",
        "let password = b\"«x»\";",
        "requirepass «foobared»",
        "masterauth «x»",
        "if token == \"«abc»\"",
        "passwords: [\"«a»\", '«b»']",
        "tokens: [«a, b»]",
        "PASSWORD: «пароль»",
        "PASSWORD: \"«密码»\"",
        "DB_PASS=«x»",
        "pwd=«x»",
        "password: \"«never closed",
        "password: '«it''s»', x: 1",
    ] {
        check(marked);
    }
}

#[test]
fn a_value_may_stand_in_the_next_element_or_entry() {
    check("<key>Password</key><string>«x y»</string>");
    check("<key>DB_PASSWORD</key>\n  <string>«x»</string>");
    check("<password>«x»</password>");
    check("<add key=\"DbPassword\" value=\"«x»\"/>");
    check("- name: DB_PASSWORD\n  value: \"«x»\"");
    check("{name: DB_PASSWORD, value: «x»}");
    // A key and its value in one element.
    check("<string>--token=«x1»</string><string>y</string>");
    check("<string>--password «x»</string>\n<string>y</string>");
    check("<value>DB_PASSWORD: «x»</value>");
    check("password: |\n  «a b»\nuser: u");
}

#[test]
fn headers_keep_their_scheme() {
    check("Authorization: Bearer «abc.def»");
    check("curl -H \"Authorization: Basic «dXNlcg==»\" h");
    check("\"Authorization\": \"Bearer «abc.def»\"");
    check("proxy-authorization: «abc»");
    check("headers << 'bearer «abcdefgh1»'");
    check("a bearer of news, bearer authentication");
}

#[test]
fn passwords_of_urls_are_hidden() {
    check("DATABASE_URL=postgres://app:«s3cr:et»@db/shop");
    check("url: \"redis://:«pw»@h1,redis://u:«pw@2»@h2\"");
    check("https://u:«p/w»@h/x");
    check("http://host:8080/a@2.png http://[::1]:80/x@y");
    check("git+https://«ghp_0123456789abcdefghij»@github.com/a/b");
    check("postgres://app@db/shop");
    check("postgres://app:${DB_PASSWORD}@db postgres://app:#{pw}@db postgres://app:%s@db");
}

#[test]
fn references_and_properties_of_a_secret_stay_legible() {
    for text in [
        "password: <%= ENV[\"DB_PASSWORD\"] %>",
        "password: <%= ENV.fetch(\"DB_PASSWORD\") %>",
        "password: $DB_PASSWORD",
        "password: ${DB_PASSWORD}",
        "password: ${DB_PASSWORD:?must be set}",
        "password: {{ .Values.password }}",
        "token: ${{ secrets.TOKEN }}",
        "password: process.env.DB_PASSWORD,",
        "password=os.environ[\"DB_PASSWORD\"],",
        "const token = await lock.acquire(key, ttl)",
        "password: null",
        "password:",
        "password: String,",
        "DB_PASSWORD_FILE=/run/secrets/db",
        "tokenType: bearer",
        "secretName: shop-db",
        "max_tokens: 5",
        "password_length: 8",
        "bypass: 5",
        "key: user:1",
        "foreign_key: account_id",
        "token::new(1)",
        "verify_password(user, 5)",
        "the password is wrong",
    ] {
        check(text);
    }
}

#[test]
fn defaults_beside_a_reference_are_hidden() {
    check("password: ${DB_PASSWORD:-«hunter2»}");
    check("password: \"${DB_PASSWORD:«hunter2»}\"");
    check("password: <%= ENV.fetch(\"DB_PASSWORD\", \"«hunter2»\") %>");
    check("password: ENV[\"DB_PASSWORD\"] || \"«x»\"");
    check("password: process.env.DB_PASSWORD ?? '«x»',");
    check("token = os.getenv(\"TOKEN\", '«abc»')");
}

#[test]
fn masking_twice_changes_nothing_more() {
    for text in ["password: hunter2", "a://u:pw@h", "DB_PASSWORD='x y'", "Authorization: Bearer abcdefgh1"] {
        assert_eq!(mask(&mask(text)), mask(text));
    }
}

#[test]
fn time_is_linear() {
    for unit in [
        "password: f(",
        "token=",
        "://",
        "a://b:c@",
        "password: \"",
        "password\\\"",
        "<password",
        "secret ",
        "\"token\",",
        "${",
    ] {
        let text = unit.repeat((1 << 17) / unit.len());
        let start = std::time::Instant::now();
        let masked = mask(&text);
        assert!(!masked.is_empty());
        assert!(start.elapsed().as_secs() < 20, "{unit}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_keeps_its_width_and_lines(text in "([a-z:=\"'@/\\\\{}$<>%\\[\\]() \n]|password|token|://|é|密|\u{200b}){0,60}") {
        let masked = mask(&text);
        proptest::prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        let width = |text: &str| text.chars().map(super::width).sum::<usize>();
        proptest::prop_assert_eq!(width(&masked), width(&text));
    }
}
