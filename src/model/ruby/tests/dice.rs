//! Programs, templates and environments by chance, the same ones on every run.

/// Values that an environment variable may have.
const TEXTS: [&str; 22] = [
    "",
    "0",
    "1",
    "5",
    "7",
    "25",
    " 9 ",
    "0x1F",
    "010",
    "08",
    "1_0",
    "1__0",
    "abc",
    "3.7",
    "-2",
    "+4",
    "true",
    "production",
    "5 threads",
    "1e3",
    "12:30",
    ".5",
];
const VARIABLES: [&str; 4] = ["A", "B", "C", "D"];
const LOCALS: [&str; 3] = ["x", "y", "z"];

pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Returns a number below `sides` (splitmix64).
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }

    pub(super) fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len())]
    }

    pub(super) fn environment(&mut self) -> Vec<(&'static str, &'static str)> {
        let mut all = vec![("RAILS_ENV", "production")];
        for name in VARIABLES {
            if self.roll(2) == 0 {
                all.push((name, self.pick(&TEXTS)));
            }
        }
        all
    }

    fn variable(&mut self) -> String {
        format!("{:?}", self.pick(&VARIABLES))
    }

    fn literal(&mut self) -> String {
        match self.roll(9) {
            0 => format!("'{}'", self.pick(&TEXTS)),
            1 => self.pick(&["1.5", "0.6", "2.0", "1e2", "0.1", "100.25"]).to_owned(),
            2 => self.pick(&["nil", "true", "false", ":auto", "0x10", "1_000", "010", "-3"]).to_owned(),
            _ => self.roll(30).to_string(),
        }
    }

    /// Something that is asked of the environment, as a rule with a fallback.
    fn read(&mut self, depth: usize) -> String {
        let name = self.variable();
        let other = self.variable();
        let fallback = if depth == 0 { self.literal() } else { self.value(depth - 1) };
        match self.roll(13) {
            0 => format!("ENV.fetch({name}) {{ {fallback} }}"),
            1 => format!("ENV.fetch({name}, {fallback})"),
            2 => format!("(ENV[{name}] || {fallback})"),
            3 => format!("ENV[{name}]"),
            4 => format!("ENV[{name}].to_i"),
            5 => format!("Integer(ENV[{name}] || {fallback})"),
            6 => format!("Integer(ENV.fetch({name}, {fallback}))"),
            7 => format!("ENV.fetch({name}) {{ ENV.fetch({other}, {fallback}).to_i }}"),
            8 => format!("(ENV[{name}] || ENV[{other}] || {fallback})"),
            9 => format!("(ENV[{name}].presence || {fallback})"),
            10 => format!("(ENV.values_at({name}, {other}).compact.first || {fallback})"),
            11 => format!("ENV[{name}]&.to_i"),
            _ => format!("ENV.fetch({name})"),
        }
    }

    fn test(&mut self, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        match self.roll(15) {
            13 => format!(
                "ENV[{}] {} /{}/",
                self.variable(),
                self.pick(&["=~", "!~"]),
                self.pick(&["5", "^prod", "e$", "abc"])
            ),
            0 => format!("ENV[{}]", self.variable()),
            1 => format!("ENV[{}] == 'true'", self.variable()),
            2 => format!("({}) {} ({})", self.number(depth), self.pick(&["<", ">", "<=", ">="]), self.number(depth)),
            3 => format!("({}) {} ({})", self.value(depth), self.pick(&["==", "!="]), self.value(depth)),
            4 => "ENV['RAILS_ENV'] == 'production'".to_owned(),
            5 => "%w[production staging].include?(ENV['RAILS_ENV'])".to_owned(),
            6 => "Rails.env.production?".to_owned(),
            7 => "Sidekiq.server?".to_owned(),
            8 => format!("!({})", self.test(depth)),
            9 => format!("({}) {} ({})", self.test(depth), self.pick(&["&&", "||", "and", "or"]), self.test(depth)),
            10 => format!("ENV.key?({})", self.variable()),
            11 => format!("({}).{}", self.value(depth), self.pick(&["nil?", "blank?", "present?"])),
            12 => format!("[{}, {}].include?({})", self.value(depth), self.value(depth), self.value(depth)),
            _ => format!("({}).{}", self.number(depth), self.pick(&["zero?", "positive?", "even?"])),
        }
    }

    /// Something that is a number more often than not.
    fn number(&mut self, depth: usize) -> String {
        match self.roll(4) {
            0 => self.roll(40).to_string(),
            1 => format!("({}).to_i", self.value(depth)),
            2 => format!("Integer({})", self.read(depth.saturating_sub(1))),
            _ => self.value(depth),
        }
    }

    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.roll(3) {
                0 => self.pick(&LOCALS).to_owned(),
                1 => self.read(0),
                _ => self.literal(),
            };
        }
        let depth = depth - 1;
        match self.roll(34) {
            0..=5 => self.read(depth),
            6..=9 => {
                let operator = self.pick(&["+", "-", "*", "/", "%", "+", "*", "**"]);
                format!("({} {operator} {})", self.number(depth), self.number(depth))
            }
            10 => format!(
                "[{}, {}].{}",
                self.number(depth),
                self.number(depth),
                self.pick(&["max", "min", "sum", "first", "last"])
            ),
            11 => format!("[{}, {}, {}].max", self.value(depth), self.value(depth), self.value(depth)),
            12 => format!("({} ? {} : {})", self.test(depth), self.value(depth), self.value(depth)),
            13 => format!("(if {} then {} else {} end)", self.test(depth), self.value(depth), self.value(depth)),
            14 => {
                let method =
                    self.pick(&["ceil", "floor", "round", "to_i", "to_f", "to_s", "abs", "to_i", "truncate", "succ"]);
                format!("({} * {}).{method}", self.number(depth), self.pick(&["0.6", "1.5", "2", "0.25"]))
            }
            15 => format!(
                "({}).{}",
                self.value(depth),
                self.pick(&["to_s", "to_i", "to_f", "presence", "nonzero?", "itself"])
            ),
            16 => format!("\"#{{{}}}{}\"", self.value(depth), self.pick(&["", "0", ":"])),
            17 => format!("({} rescue {})", self.value(depth), self.value(depth)),
            18 => format!("(begin; {}; rescue; {}; end)", self.value(depth), self.value(depth)),
            19 => {
                let (subject, first, second) = (self.value(depth), self.value(depth), self.literal());
                format!(
                    "(case {subject} when {first}, {second} then {} else {} end)",
                    self.value(depth),
                    self.value(depth)
                )
            }
            20 => format!(
                "(case {} when 1..9 then {} when 10...20 then {} end)",
                self.number(depth),
                self.value(depth),
                self.literal()
            ),
            21 => format!("({}).clamp({}, {})", self.number(depth), self.roll(9), self.roll(30)),
            22 => format!("Integer({}, exception: false)", self.value(depth)),
            23 => format!("({} {} {})", self.value(depth), self.pick(&["||", "&&"]), self.value(depth)),
            24 => format!("({} = {})", self.pick(&LOCALS), self.value(depth)),
            25 => format!("Float({})", self.value(depth)),
            26 => format!(
                "(ENV[{}] || '2:6').split(':').map(&:to_i).{}",
                self.variable(),
                self.pick(&["first", "last", "max", "sum", "size"])
            ),
            27 => format!("[{}, {}].map {{ |n| n.to_i + 1 }}.sum", self.value(depth), self.value(depth)),
            28 => format!(
                "{{ 'production' => {}, 'test' => 1 }}.fetch(ENV[{}] || 'production', {})",
                self.value(depth),
                self.variable(),
                self.literal()
            ),
            29 => format!("twice({})", self.number(depth)),
            30 => format!("(unless {} then {} end)", self.test(depth), self.value(depth)),
            31 => format!("[{}, {}].compact.first", self.value(depth), self.value(depth)),
            32 => format!("-({})", self.number(depth)),
            _ => format!("({}).{}", self.read(depth), self.pick(&["strip", "downcase", "length", "empty?", "to_sym"])),
        }
    }

    fn statement(&mut self) -> String {
        let local = self.pick(&LOCALS);
        match self.roll(12) {
            0 => format!("{local} {}= {}", self.pick(&["+", "-", "*", "||", "&&", ""]), self.value(1)),
            1 => format!("{local} = {} if {}", self.value(1), self.test(1)),
            2 => format!(
                "if {}\n  {local} = {}\nelsif {}\n  {}\nelse\n  {}\nend",
                self.test(1),
                self.value(1),
                self.test(1),
                self.statement(),
                self.statement()
            ),
            3 => format!("ENV[{}] ||= '{}'", self.variable(), self.pick(&TEXTS)),
            4 => format!("ENV[{}] = '{}' unless {}", self.variable(), self.pick(&TEXTS), self.test(1)),
            5 => format!("[1, 2, 3].each {{ |n| {local} = n }}"),
            6 => format!("{local}, other = {}, {}", self.value(1), self.value(1)),
            7 => format!(
                "case ENV['RAILS_ENV']\nwhen 'production', 'staging'\n  {}\nelse\n  {}\nend",
                self.statement(),
                self.statement()
            ),
            8 => format!("begin\n  {local} = {}\nrescue\n  {}\nend", self.value(2), self.statement()),
            _ => format!("{local} = {}", self.value(2)),
        }
    }

    /// A file that calls `threads` once.
    pub(super) fn program(&mut self) -> String {
        let mut text =
            String::from("def twice(n, by = 2)\n  return 0 if n.nil?\n  n * by\nend\nx = 4\ny = nil\nz = '6'\n");
        for _ in 0..self.roll(4) {
            text += &self.statement();
            text += "\n";
        }
        let depth = 1 + self.roll(3);
        text + &format!("threads({})\n", self.value(depth))
    }

    /// A YAML file with tags.
    pub(super) fn template(&mut self) -> String {
        let mut text = String::from(
            "<% x = 4; y = nil; z = '6' %>\n<% def twice(n, by = 2) = n * by %>\nbase: &base\n  pool: 3\n  host: h\n",
        );
        for name in ["production", "test"] {
            text += &format!("{name}:\n  adapter: x\n");
            for _ in 0..self.roll(5) {
                let line = self.line();
                text += &line;
            }
        }
        text
    }

    fn line(&mut self) -> String {
        let key = self.pick(&["pool", "host", "size"]);
        match self.roll(10) {
            0 => "  <<: *base\n".to_owned(),
            1 => format!("  {key}: {}\n", self.scalar()),
            2 => format!("  {key}: \"<%= {} %>\"\n", self.value(1)),
            3 => format!("<% if {} %>\n{}<% else %>\n{}<% end %>\n", self.test(1), self.line(), self.line()),
            4 => format!("<% {} = {} %>\n", self.pick(&LOCALS), self.value(1)),
            5 => format!("  {key}: a<%= {} %>\n", self.value(1)),
            6 => format!("<% [1, 2].each do |n| %>\n  {key}<%= n %>: <%= n * 2 %>\n<% end %>\n"),
            _ => format!("  {key}: <%= {} %>\n", self.value(1)),
        }
    }

    /// A plain scalar.
    pub(super) fn scalar(&mut self) -> String {
        let known = [
            "5",
            "-1",
            "+7",
            "1_000",
            "1,000",
            "0x10",
            "0o17",
            "017",
            "08",
            "0b11",
            "1.5",
            ".5",
            "5.",
            "1e3",
            "1.0e+3",
            "yes",
            "No",
            "on",
            "true",
            "~",
            "null",
            "NULL",
            "Null",
            "",
            ":sym",
            ":a b",
            "text",
            "5 threads",
            "1__0",
            "1_",
            "_1",
            "0",
            "00",
            "-0",
            "0x",
            "+",
            "-",
            ".",
            "..",
            "1.2.3",
            ".inf",
            "-.INF",
            ".nan",
            "1-2",
            "0.1e-2",
            "1,2,3",
            "1_0.5",
            "12e",
            "y",
            "n",
            "0_7",
        ];
        if self.roll(3) > 0 {
            return self.pick(&known).to_owned();
        }
        (0..=self.roll(5)).map(|_| self.pick(&["0", "1", "9", "_", ",", ".", "e", "+", "x", "b", "a"])).collect()
    }
}
