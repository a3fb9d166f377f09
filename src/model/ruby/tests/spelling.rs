//! The spellings that configuration of public applications is written in, with their values in several environments.

use super::{explained, last, leaf, leaf_with, program, shown, within};
use crate::model::ruby::{Call, Last, Standing, evaluate};

/// Checks the last `threads` of a file in a Puma process.
fn threads(text: &str, rows: &[(&str, &str)]) {
    for (environment, expected) in rows {
        assert_eq!(last(text, "threads", environment, "puma"), *expected, "{text} with {environment:?}");
    }
}

/// Checks the value of an expression in a Puma process.
fn value(expression: &str, rows: &[(&str, &str)]) {
    value_in("puma", expression, rows);
}

fn value_in(kind: &str, expression: &str, rows: &[(&str, &str)]) {
    let text = format!("threads({expression})");
    for (environment, expected) in rows {
        assert_eq!(last(&text, "threads", environment, kind), *expected, "{expression} with {environment:?}");
    }
}

/// Checks `pool` of the only block of a YAML file.
fn pool(kind: &str, line: &str, rows: &[(&str, &str)]) {
    let text = format!("production:\n  {line}\n  adapter: x\n");
    for (environment, expected) in rows {
        assert_eq!(leaf(&text, "production.pool", environment, kind), *expected, "{text} with {environment:?}");
    }
}

#[test]
fn literals_and_calls() {
    threads("threads 5, 5", &[("", "5, 5")]);
    threads("threads 0, 16", &[("", "0, 16")]);
    threads("n = 4\nthreads(n, n)", &[("", "4, 4")]);
    threads("# threads 9, 9\nthreads 1, 1\n=begin\nthreads 8, 8\n=end", &[("", "1, 1")]);
    threads("threads 1, 1\nthreads 2, 2", &[("", "2, 2")]);
    threads(
        "threads_count = ENV.fetch(\"RAILS_MAX_THREADS\", 5) # 10\nthreads threads_count, threads_count",
        &[("", "5, 5"), ("RAILS_MAX_THREADS=7", "\"7\", \"7\"")],
    );
}

#[test]
fn one_variable_with_a_fallback() {
    for text in ["ENV.fetch(\"X\") { 5 }", "ENV.fetch(\"X\", 5)", "ENV.fetch('X',5)", "ENV.fetch(\"X\") do 5 end"] {
        value(text, &[("", "5"), ("X=7", "\"7\""), ("X=", "\"\""), ("?X", "?Variable")]);
    }
    value("ENV.fetch('X','5')", &[("", "\"5\"")]);
    for text in ["ENV.fetch(\"X\") { 5 }.to_i", "ENV.fetch(\"X\", 5).to_i", "(ENV['X'] || 5).to_i"] {
        value(text, &[("", "5"), ("X=7", "7"), ("X=", "0"), ("?X", "?Variable")]);
    }
    for text in ["Integer(ENV['X'] || 5)", "Integer(ENV.fetch(\"X\", 5))", "Integer(ENV.fetch(\"X\") { 5 })"] {
        value(text, &[("", "5"), ("X=7", "7"), ("X=", "?Raises"), ("X=0x10", "16"), ("X=a", "?Raises")]);
    }
    for text in ["Integer(ENV.fetch(\"X\"))", "ENV.fetch(\"X\").to_i"] {
        value(text, &[("", "?Raises"), ("X=7", "7")]);
    }
    value("ENV[\"X\"]", &[("", "nil"), ("X=7", "\"7\"")]);
    value("ENV['X'].to_i", &[("", "0"), ("X=7", "7"), ("X=7x", "7")]);
    threads("threads ENV['MIN'] || 2, ENV['MAX'] || 4", &[("", "2, 4"), ("MAX=9", "2, \"9\"")]);
    threads("threads ENV[\"PUMA_THREAS_MIN\"] || 0, ENV[\"PUMA_THREAS_MIN\"] || 16", &[("", "0, 16")]);
    value("ENV['RAILS_MAX_THREADS'].to_i * 30", &[("", "0"), ("RAILS_MAX_THREADS=2", "60")]);
    value("ENV[\"X\"].presence || 5", &[("", "5"), ("X=", "5"), ("X=6", "\"6\"")]);
    value("ENV.values_at(\"A\", \"B\").compact.first || 5", &[("", "5"), ("B=3", "\"3\"")]);
    value("ENV.key?(\"X\") ? 1 : 2", &[("", "2"), ("X=", "1")]);
}

#[test]
fn fallbacks_inside_fallbacks() {
    value("ENV[\"A\"] || ENV['B'] || 5", &[("", "5"), ("B=2", "\"2\""), ("A=1 B=2", "\"1\""), ("?A B=2", "?Variable")]);
    value("ENV.fetch(\"A\") { ENV.fetch(\"B\", 5).to_i }", &[("", "5"), ("B=2", "2"), ("A=1", "\"1\"")]);
    value("ENV.fetch(\"A\", ENV.fetch(\"B\", 5))", &[("", "5"), ("B=2", "\"2\""), ("A=1 ?B", "\"1\"")]);
    value("ENV.fetch(\"A\", ENV[\"B\"])", &[("", "nil"), ("B=2", "\"2\"")]);
    let text = "max_threads_count = ENV.fetch(\"RAILS_MAX_THREADS\") { 5 }\n\
                min_threads_count = ENV.fetch(\"RAILS_MIN_THREADS\") { max_threads_count }\n\
                threads min_threads_count, max_threads_count";
    threads(
        text,
        &[
            ("", "5, 5"),
            ("RAILS_MAX_THREADS=3", "\"3\", \"3\""),
            ("RAILS_MAX_THREADS=3 RAILS_MIN_THREADS=1", "\"1\", \"3\""),
        ],
    );
    threads("MAX = 7\n@min = 2\nthreads @min, MAX", &[("", "2, 7")]);
}

#[test]
fn arithmetic() {
    value("[ENV.fetch(\"A\", 5).to_i, 5].max", &[("", "5"), ("A=9", "9"), ("A=1", "5")]);
    let both = "[Integer(ENV.fetch(\"MAX_THREADS\", 5)), Integer(ENV.fetch(\"DB_POOL\", 5))].max";
    value(both, &[("", "5"), ("DB_POOL=9", "9"), ("DB_POOL=9 MAX_THREADS=12", "12")]);
    let texts = "[ENV.fetch(\"MAX_THREADS\", 2), ENV.fetch(\"DB_POOL\", 2)].max";
    value(texts, &[("", "2"), ("DB_POOL=9 MAX_THREADS=25", "\"9\""), ("DB_POOL=9", "?Raises")]);
    threads("min = 4\nmax = 3\nthreads min, [min, max].max", &[("", "4, 4")]);
    value("[1, ENV[\"A\"].to_i * ENV[\"B\"].to_i].max", &[("", "1"), ("A=3 B=4", "12")]);
    value("ENV.fetch(\"A\", 5).to_i + 1 + 2 + ENV.fetch(\"B\", 5).to_i", &[("", "13"), ("A=1 B=1", "5")]);
    value("1 + 2 + ENV.fetch(\"GOOD_JOB_MAX_THREADS\", 5).to_i", &[("", "8")]);
    value("ENV.fetch(\"RAILS_MAX_THREADS\", 5).to_i + 2", &[("", "7")]);
    threads("n = 3\nthreads n * 2 + 1", &[("", "7")]);
    threads("a = 5\nb = 3\nthreads (a * b * 0.6).ceil, (a * b * 0.6).floor", &[("", "9, 9")]);
    threads("threads_count = ENV.fetch('T', 5).to_i\nthreads 1, threads_count - 2", &[("", "1, 3")]);
    value("ENV[\"NUM_WEBS\"].to_i > 0 ? ENV[\"NUM_WEBS\"].to_i : 4", &[("", "4"), ("NUM_WEBS=2", "2")]);
}

#[test]
fn processors() {
    for text in ["Etc.nprocessors", "Concurrent.physical_processor_count", "[Etc.nprocessors * 2, 1].max.to_i"] {
        value(text, &[("", "?Processors")]);
    }
    value(
        "ENV.fetch(\"WEB_CONCURRENCY\") { Etc.nprocessors }.to_i",
        &[("", "?Processors"), ("WEB_CONCURRENCY=2", "2")],
    );
    value(":auto", &[("", ":auto")]);
    value("Etc.nprocessors > 4 ? 1 : 2", &[("", "?Undecided")]);
    value("Etc.nprocessors > 4 ? 1 : 1", &[("", "1")]);
}

#[test]
fn one_file_in_several_processes() {
    let chatwoot = "Sidekiq.server? ? ENV.fetch('SIDEKIQ_CONCURRENCY', 10) : ENV.fetch('RAILS_MAX_THREADS', 5)";
    value_in("sidekiq", chatwoot, &[("", "10")]);
    value_in("puma", chatwoot, &[("", "5")]);
    let mastodon =
        "ENV[\"DB_POOL\"] || (if Sidekiq.server? then Sidekiq[:concurrency] else ENV['MAX_THREADS'] end) || 5";
    value_in("sidekiq", mastodon, &[("", "12"), ("DB_POOL=3", "\"3\"")]);
    value_in("puma", mastodon, &[("", "5"), ("MAX_THREADS=4", "\"4\"")]);
    for text in ["Sidekiq.default_configuration[:concurrency]", "Sidekiq.options[:concurrency]"] {
        value_in("sidekiq", text, &[("", "12")]);
        value_in("puma", text, &[("", "?NotUnderstood")]);
    }
    value_in("good_job", "$PROGRAM_NAME.include?(\"good_job\") ? 1 : 2", &[("", "1")]);
    value_in("puma", "$PROGRAM_NAME.include?(\"good_job\") ? 1 : 2", &[("", "2")]);
    value_in("puma", "File.basename($0) == \"sidekiq\" ? 1 : 2", &[("", "2")]);
    value_in("puma", "$0.include?(\"anything\") ? 1 : 2", &[("", "?Undecided")]);
    value_in("sidekiq", "$0 =~ /sidekiq/ ? 1 : 2", &[("", "1")]);
    value_in("puma", "$PROGRAM_NAME.match?(/sidekiq/) ? 1 : 2", &[("", "2")]);
    value_in("puma", "ENV['X'] =~ /^worker/ ? 1 : 2", &[("", "2"), ("X=worker.1", "1"), ("X=web.1", "2")]);
    value_in("puma", "ENV['X'] =~ /w.*r/ ? 1 : 2", &[("X=worker.1", "?Undecided")]);
    value_in("puma", "(case ENV['X'] when /web/ then 1 else 2 end)", &[("", "2"), ("X=web.1", "1")]);
    value_in("puma", "defined?(Sidekiq) && Sidekiq.server? ? 1 : 2", &[("", "2")]);
    value_in("sidekiq", "defined?(Sidekiq) && Sidekiq.server? ? 1 : 2", &[("", "1")]);
}

#[test]
fn branches() {
    let discourse = "if ENV['RAILS_ENV'] == 'production'\n  threads 8, 32\nelse\n  threads 1, 1\nend";
    threads(discourse, &[("", "8, 32"), ("RAILS_ENV=staging", "1, 1")]);
    let template = "rails_env = ENV.fetch(\"RAILS_ENV\") { \"development\" }\n\
                    if %w[production staging].include?(rails_env)\n  threads 3, 3\nend";
    threads(template, &[("", "3, 3"), ("RAILS_ENV=test", "never 1")]);
    threads("if !Rails.env.local?\n  threads 4, 4\nend", &[("", "4, 4")]);
    threads("unless Rails.env.production?\n  threads 4, 4\nelse threads 5, 5\nend", &[("", "5, 5")]);
    let case = "case ENV[\"RAILS_ENV\"]\nwhen \"production\", \"staging\" then threads 6, 6\nelse threads 1, 1\nend";
    threads(case, &[("", "6, 6"), ("RAILS_ENV=test", "1, 1")]);
    let ranges = "case n = Integer(ENV.fetch(\"W\", 2))\nwhen (2..)\n  threads n\nwhen ..0 then threads 0\nend";
    threads(ranges, &[("", "2"), ("W=1", "never 1"), ("W=-4", "0")]);
    let workers = "worker_count = ENV.fetch(\"W\", 1).to_i\nthreads worker_count if worker_count > 1";
    threads(workers, &[("", "never 1"), ("W=2", "2"), ("?W", "unknown: threads worker_count")]);
    let auto = "if ENV['AUTO'] == 'true'\n  threads 1\nelse\n  threads ENV.fetch('WEB_CONCURRENCY', 0)\nend";
    threads(auto, &[("", "0"), ("AUTO=true", "1"), ("?AUTO", "unknown: threads ENV.fetch('WEB_CONCURRENCY', 0)")]);
    threads("num_workers = 3\nthreads \"#{num_workers}\"", &[("", "\"3\"")]);
    threads("if Something.enabled?\n  n = 4\nelse\n  n = 4\nend\nthreads n", &[("", "4")]);
    threads("if Something.enabled?\n  n = 4\nelse\n  n = 5\nend\nthreads n", &[("", "?Undecided")]);
    threads("threads 5, 5\nthreads 9, 9 if Something.enabled?", &[("", "unknown: threads 9, 9")]);
    threads("threads 9, 9 if Something.enabled?\nthreads 5, 5", &[("", "5, 5")]);
    threads(
        "raise 'no' unless ENV['X']\nthreads 5, 5",
        &[("", "unknown: raise 'no'"), ("?X", "5, 5"), ("X=1", "5, 5")],
    );
    threads("n = Integer(ENV['X']) rescue 5\nthreads n, n", &[("", "5, 5"), ("X=8", "8, 8")]);
    threads("begin\n  require 'x'\n  n = 1\nrescue LoadError\n  n = 1\nend\nthreads n", &[("", "1")]);
    threads("n = 2\nbegin\n  n = fancy\nrescue\n  n = 1\nend\nthreads n", &[("", "?Undecided")]);
    threads("def count(of, by = 2)\n  of * by\nend\nthreads count(3), count(3, 3)", &[("", "6, 9")]);
    threads(
        "threads 5, 5\ninstance_eval(File.read('more.rb'))",
        &[("", "unknown: instance_eval(File.read('more.rb'))")],
    );
    threads("ENV['X'] ||= '6'\nthreads ENV['X'].to_i", &[("", "6"), ("X=2", "2")]);
}

#[test]
fn lists() {
    threads("a, b = [1, 2]\nthreads a, b", &[("", "1, 2")]);
    threads("a, b = ENV.values_at('A', 'B').map(&:to_i)\nthreads a, b", &[("A=3 B=4", "3, 4"), ("", "0, 0")]);
    threads(
        "a, b = (ENV['T'] || '2:6').split(':').map { |n| Integer(n) }\nthreads a, b",
        &[("", "2, 6"), ("T=1:9", "1, 9")],
    );
    value("{ 'production' => 8, 'staging' => 2 }.fetch(ENV['RAILS_ENV'], 1)", &[("", "8"), ("RAILS_ENV=x", "1")]);
    threads("sum = 0\n[1, 2, 3].each { |n| sum += n }\nthreads sum", &[("", "6")]);
    threads("sum = 0\nthings.each { |n| sum += 1 }\nthreads sum", &[("", "?Undecided")]);
}

#[test]
fn yaml_values() {
    let check = |line: &str, rows: &[(&str, &str)]| pool("puma", line, rows);
    let several = "pool: <%= (ENV.fetch('A', 5).to_i + 2) *\n    ENV.fetch('B', 2).to_i +\n    1 %>";
    check(several, &[("", "15"), ("A=1", "7")]);
    check(
        "pool: <%= ENV['DB_POOL'] %>",
        &[("", "nil"), ("DB_POOL=8", "8"), ("DB_POOL=", "nil"), ("?DB_POOL", "?Variable")],
    );
    check("pool: \"<%= ENV.fetch('X', 5) %>\"", &[("", "\"5\""), ("X=6", "\"6\"")]);
    check("pool: <%= ProductionDatabaseConfiguration.pool %>", &[("", "?NotUnderstood")]);
    for unknown in ["Figaro.env.x", "Settings.x", "Rails.application.credentials.x", "AppConfig[:x]", "pool_size"] {
        check(&format!("pool: <%= {unknown} %>"), &[("", "?NotUnderstood")]);
    }
    check("pool: 5 # comment", &[("", "5")]);
    check("pool: 1_000", &[("", "1000")]);
    check("pool: 0x10", &[("", "16")]);
    check("size: &n 8\n  pool: *n", &[("", "8")]);
    check("pool:", &[("", "nil")]);
    check("pool: -1", &[("", "-1")]);
    check("pool: <%= 5 # five\n %>", &[("", "5")]);
    check("max_connections: 25", &[("", "absent")]);
    check("pool: <%= Rails.env.production? ? 20 : 5 %>", &[("", "20")]);
    pool("sidekiq", "pool: <%= Sidekiq.server? ? 30 : 5 %>", &[("", "30")]);
}

#[test]
fn yaml_files() {
    let sidekiq =
        ":concurrency: <%= ENV.fetch(\"SIDEKIQ_CONCURRENCY\") { 5 }.to_i %>\nproduction:\n  :concurrency: 20\n";
    assert_eq!(leaf(sidekiq, "concurrency", "", "sidekiq"), "5");
    assert_eq!(leaf(sidekiq, "production.concurrency", "", "sidekiq"), "20");
    let local = "<% concurrency = ENV.fetch(\"X\", 5) %>\nproduction:\n  pool: <%= concurrency %>\n";
    assert_eq!(leaf(local, "production.pool", "", "puma"), "5");
    assert_eq!(leaf(local, "production.pool", "X=9", "puma"), "9");
    let lines = "production:\n  adapter: x\n<% if ENV[\"DB_HOST\"] %>\n  host: <%= ENV[\"DB_HOST\"] %>\n  pool: 7\n\
                 <% else %>\n  pool: 3\n<% end %>\n";
    assert_eq!(leaf(lines, "production.pool", "", "puma"), "3");
    assert_eq!(leaf(lines, "production.pool", "DB_HOST=h", "puma"), "7");
    assert_eq!(leaf(lines, "production.pool", "?DB_HOST", "puma"), "unknown");
    assert_eq!(leaf(lines, "production.adapter", "?DB_HOST", "puma"), "\"x\"");
    let loops = "<% %w[a b].each do |name| %>\n<%= name %>:\n  pool: 4\n<% end %>\n";
    assert_eq!(leaf(loops, "b.pool", "", "puma"), "4");
}

#[test]
fn what_a_value_rests_on() {
    let check = |text: &str, environment: &str, expected: &str| {
        let program = program(text);
        let found = within(environment, "puma", |context| {
            let run = evaluate(&program, context);
            let Last::Call(call, sources) = run.last("threads") else { return shown(&crate::model::ruby::Value::Nil) };
            let value = call.arguments[0].clone().resting_on(&sources);
            explained(text, &value)
        });
        assert_eq!(found, expected, "{text} with {environment:?}");
    };
    check("threads 5", "", "5 at 5");
    check("n = 5\nthreads n", "", "5 at 5");
    check("threads ENV.fetch('X', 5).to_i", "", "5 at 5, unless X");
    check("threads ENV.fetch('X', 5)", "", "5 at 5, unless X");
    check("threads ENV.fetch('X') { 5 }", "X=7", "\"7\" at ENV.fetch('X') { 5 }, X found");
    check("threads ENV['A'] || ENV['B'] || 5", "", "5 at 5, unless A, unless B");
    check("threads ENV['A'].to_i", "", "0 at ENV['A'].to_i, unless A");
    check("threads [ENV.fetch('A', 3).to_i, 5].max", "", "5 at 5, unless A");
    check("threads ENV['A'].to_i > 0 ? ENV['A'].to_i : 4", "", "4 at 4, unless A");
    check("n = 5\nif ENV['A']\n  n = 6\nend\nthreads n", "", "5 at 5, unless A");
    check("threads 5\nif ENV['A']\n  threads 6\nend", "", "5 at 5, unless A");
    check("if ENV['RAILS_ENV'] == 'production'\n  threads 6\nend", "", "6 at 6");
    check("threads Integer(ENV['A'] || 5) * 2", "A=3", "6 at Integer(ENV['A'] || 5) * 2, A found");
    let yaml = |text: &str, environment: &str, expected: &str| {
        let found = leaf_with(text, "production.pool", environment, "puma", |value| explained(text, value));
        assert_eq!(found, expected, "{text} with {environment:?}");
    };
    yaml("production:\n  pool: 5\n", "", "5 at 5");
    yaml("a: &a\n  pool: 5\nproduction:\n  <<: *a\n", "", "5 at 5");
    yaml("production:\n  pool: <%= ENV.fetch('X') { 5 } %>\n", "", "5 at 5, unless X");
    yaml("production:\n  pool: <%= ENV['X'] %>\n", "", "nil at ENV['X'], unless X");
    yaml("production:\n  pool: <%= ENV['X'] %>0\n", "X=4", "40 at <%= ENV['X'] %>0, X found");
    yaml("production:\n<% if ENV['X'] %>\n  pool: 5\n<% else %>\n  pool: 6\n<% end %>\n", "", "6 at 6, unless X");
}

#[test]
fn what_a_file_calls() {
    let check = |text: &str, kind: &str, expected: &[&str]| {
        let program = program(text);
        let found = within("", kind, |context| {
            let run = evaluate(&program, context);
            let mut all = Vec::new();
            told(&run.calls, "", &mut all);
            all
        });
        assert_eq!(found, expected, "{text}");
    };
    let initializer = "Sidekiq.configure_server do |config|\n  config.concurrency = ENV.fetch('X', 7).to_i\n\
                       config.capsule('a') { |c| c.concurrency = 2 if Other.on? }\nend";
    check(
        initializer,
        "sidekiq",
        &[
            "Sidekiq.configure_server",
            "  config.concurrency= 7",
            "  config.capsule \"a\"",
            "    Other.on?",
            "    c.concurrency= 2 perhaps",
        ],
    );
    let application = "module Shop\n  class Application < Rails::Application\n    config.good_job.max_threads = 4\n\
                       def threads\n      9\n    end\n  end\nend\nthreads 1";
    check(application, "puma", &["config.good_job.max_threads= 4", "threads 1"]);
    let boot = "on_worker_boot do\n  config = ActiveRecord::Base.configurations[Rails.env]\n  config['pool'] = ENV['P'] || 6\n\
                ActiveRecord::Base.establish_connection(config)\nend\nplugin :solid_queue if ENV['S']";
    check(
        boot,
        "puma",
        &[
            "on_worker_boot",
            "  ActiveRecord::Base.configurations",
            "  ActiveRecord::Base.configurations.[] stage production",
            "  config.[]= \"pool\" 6",
            "  ActiveRecord::Base.establish_connection ?NotUnderstood",
            "plugin skipped",
        ],
    );
}

/// Writes calls down, one a line, those of a block below it.
fn told(calls: &[Call], indentation: &str, all: &mut Vec<String>) {
    for call in calls {
        let receiver = call.receiver.as_ref().map(|receiver| format!("{receiver}.")).unwrap_or_default();
        let mut line = format!("{indentation}{receiver}{}", call.name);
        for argument in &call.arguments {
            line += &format!(" {}", shown(&argument.value));
        }
        line += match call.standing {
            Standing::Made => "",
            Standing::Perhaps => " perhaps",
            Standing::Skipped => " skipped",
        };
        all.push(line);
        if let Some(block) = &call.block {
            told(&block.calls, &format!("{indentation}  "), all);
        }
    }
}
