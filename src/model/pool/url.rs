//! What a database URL says about its pool.

/// Parts of a URL that concern a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DatabaseUrl {
    pub scheme: String,
    pub port: Option<String>,
    /// Keys of the query, in order.
    pub query: Vec<(String, String)>,
}

impl DatabaseUrl {
    /// Reads `scheme://user:password@host:port/name?pool=6`; nothing if it has no scheme.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://").or_else(|| text.split_once(':'))?;
        let (main, query) = rest.split_once('?').unwrap_or((rest, ""));
        let query = query.split('#').next().unwrap_or_default();
        let host = main.split('/').next().unwrap_or_default();
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let port = host
            .rsplit_once(':')
            .map(|(_, port)| port.to_owned())
            .filter(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        Some(Self {
            scheme: scheme.to_ascii_lowercase(),
            port,
            query: pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        })
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.query.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let check = |text: &str, scheme: &str, port: Option<&str>, pool: Option<&str>| {
            let url = DatabaseUrl::parse(text).unwrap();
            assert_eq!((url.scheme.as_str(), url.port.as_deref(), url.get("pool")), (scheme, port, pool), "{text}");
        };
        check("postgres://a:b@db.internal:6432/x?pool=6&t=2", "postgres", Some("6432"), Some("6"));
        check("mysql2://localhost/x", "mysql2", None, None);
        check("postgresql:///x?pool=7#y", "postgresql", None, Some("7"));
        check("sqlite3:db/x.sqlite3", "sqlite3", None, None);
        assert_eq!(DatabaseUrl::parse("plain"), None);
    }
}
