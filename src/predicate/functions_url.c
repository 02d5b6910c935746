/*-------------------------------------------------------------------------
 *
 * functions_url.c
 *	  Parts of a URL: parse_url.
 *
 * What java.net.URI reads, of it the plain form scheme://user@host:port/path
 * ?query#fragment, and a path alone; of any other text the result is unknown.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"

typedef struct UrlPart
{
	const char *data;			/* NULL: there is none */
	int			len;
} UrlPart;

typedef struct Url
{
	UrlPart		scheme;
	UrlPart		authority;
	UrlPart		user;
	UrlPart		host;
	UrlPart		path;
	UrlPart		query;
	UrlPart		fragment;
} Url;

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Only what stands in any part of a URL as it is. */
static bool
is_plain(UrlPart part, const char *others)
{
	for (int i = 0; i < part.len; i++)
	{
		char		c = part.data[i];

		if (!is_letter(c) && !is_digit(c) && (c == '\0' || strchr(others, c) == NULL))
			return false;
		if (c == '%' && (i + 2 >= part.len || !isxdigit((unsigned char) part.data[i + 1]) ||
						 !isxdigit((unsigned char) part.data[i + 2])))
			return false;
	}
	return true;
}

/* Cuts off what begins at p: up to the first of the characters, or the end. */
static UrlPart
take(const char **p, const char *end, const char *stops)
{
	UrlPart		part = {*p, 0};

	while (*p < end && (**p == '\0' || strchr(stops, **p) == NULL))
		(*p)++;
	part.len = *p - part.data;
	return part;
}

/* Names and numbers with dots, the last one beginning with a letter. */
static bool
is_host_name(UrlPart host)
{
	int			label = 0;

	for (int i = 0; i < host.len; i++)
	{
		if (host.data[i] == '.')
		{
			if (i == label || i == host.len - 1)
				return false;
			label = i + 1;
		}
		else if (!is_letter(host.data[i]) && !is_digit(host.data[i]))
			return false;
	}
	return host.len > 0 && is_letter(host.data[label]);
}

static bool
split_authority(Url *url)
{
	const char *p = url->authority.data;
	const char *end = p + url->authority.len;
	const char *at = memchr(p, '@', end - p);
	UrlPart		port;

	if (at != NULL)
	{
		url->user = (UrlPart) {p, at - p};
		if (url->user.len == 0 || !is_plain(url->user, "-_.:"))
			return false;
		p = at + 1;
	}
	url->host = take(&p, end, ":");
	if (p < end)
		p++;
	port = (UrlPart) {p, end - p};
	for (int i = 0; i < port.len; i++)
	{
		if (!is_digit(port.data[i]))
			return false;
	}
	return port.len < 6 && is_host_name(url->host);
}

static bool
read_url(const DeltaString *s, Url *url)
{
	const char *p = s->data;
	const char *end = p + s->len;

	memset(url, 0, sizeof(*url));
	url->path = (UrlPart) {s->data, s->len};
	if (s->len > 0 && memchr(s->data, ':', s->len) == NULL && is_plain(url->path, "/-_.~") &&
		(s->len < 2 || memcmp(s->data, "//", 2) != 0))
		return true;			/* a path, no more */
	url->scheme = take(&p, end, ":/?#");
	if (url->scheme.len == 0 || !is_letter(url->scheme.data[0]) || !is_plain(url->scheme, "+-.") ||
		end - p < 3 || memcmp(p, "://", 3) != 0)
		return false;
	p += 3;
	url->authority = take(&p, end, "/?#");
	url->path = take(&p, end, "?#");
	if (p < end && *p == '?')
	{
		p++;
		url->query = take(&p, end, "#");
	}
	if (p < end)
	{
		p++;
		url->fragment = (UrlPart) {p, end - p};
	}
	return split_authority(url) && is_plain(url->path, "/-_.~%+=:,;@&!$*") &&
		is_plain(url->query, "/-_.~%+=:,;@&!$*?") && is_plain(url->fragment, "/-_.~%+=:,;@&!$*?");
}

/* The value of key=value in a query: the first. */
static UrlPart
find_parameter(UrlPart query, const DeltaString *key)
{
	const char *p = query.data;
	const char *end = p + query.len;

	while (p != NULL && p <= end)
	{
		UrlPart		pair = take(&p, end, "&");

		if (pair.len > key->len && memcmp(pair.data, key->data, key->len) == 0 && pair.data[key->len] == '=')
			return (UrlPart) {pair.data + key->len + 1, pair.len - key->len - 1};
		p++;
	}
	return (UrlPart) {NULL, 0};
}

static bool
is_name(const DeltaString *s, const char *name)
{
	return s->len == (int) strlen(name) && memcmp(s->data, name, s->len) == 0;
}

RESOLVE_FIXED(resolve_parse_url, DELTA_STRING, DELTA_STRING)

POINT_FUNCTION(point_parse_url)
{
	const DeltaString *what = args[1].s;
	Url			url;
	UrlPart		part = {NULL, 0};

	if (!read_url(args[0].s, &url))
		return POINT_UNKNOWN;
	if (nargs == 3)
	{
		if (!is_name(what, "QUERY"))
			return POINT_NULL;
		/* the key goes into a pattern */
		if (!is_plain((UrlPart) {args[2].s->data, args[2].s->len}, "_-"))
			return POINT_UNKNOWN;
		part = find_parameter(url.query, args[2].s);
	}
	else if (is_name(what, "HOST"))
		part = url.host;
	else if (is_name(what, "PATH"))
		part = url.path;
	else if (is_name(what, "QUERY"))
		part = url.query;
	else if (is_name(what, "REF"))
		part = url.fragment;
	else if (is_name(what, "PROTOCOL"))
		part = url.scheme;
	else if (is_name(what, "AUTHORITY"))
		part = url.authority;
	else if (is_name(what, "USERINFO"))
		part = url.user;
	else if (is_name(what, "FILE"))
		part = (UrlPart) {url.path.data, url.path.len + (url.query.data != NULL ? url.query.len + 1 : 0)};
	if (part.data == NULL)
		return POINT_NULL;
	*result = deltacc_string_value(part.data, part.len);
	return POINT_VALUE;
}

#define STRICT		FN_NULL_IN_NULL_OUT

const FunctionDef deltacc_url_functions[] = {
	{"parse_url", 2, 3, STRICT, resolve_parse_url, point_parse_url},
	{"try_parse_url", 2, 3, STRICT, resolve_parse_url, point_parse_url},
	{NULL}
};
