# What is wrong with the WebSite of a context, in one sentence or several; empty where all is well. In an expression \z is
# the end, while $ also stands before a newline there.
def is(ok; text): if ok then empty else text end;
(.review.request.object // .object) | .spec as $spec | ($spec.route // {}) as $route
| [
    is(.metadata.name | test("^[a-z]([-a-z0-9]{0,48}[a-z0-9])?\\z");
      "metadata.name is \(.metadata.name[:99]), and a Service is called so: take at most 50 of a-z, 0-9 and -, a letter first"),
    is(($spec.configMap == null) != ($spec.archive == null);
      "give one of spec.configMap and spec.archive"),
    is($spec.configMap == null or ($spec.configMap | test("^[a-z0-9]([-.a-z0-9]*[a-z0-9])?\\z"));
      "spec.configMap is \($spec.configMap[:99]): expected the name of a ConfigMap"),
    is($spec.archive == null or ($spec.archive.url | test("^https?://[a-zA-Z0-9.-]+(:[0-9]{1,5})?/[!-~]*\\z"));
      "spec.archive.url is \($spec.archive.url[:99]): expected http:// or https://, a host without a password, and a path"),
    is($spec.archive == null or ($spec.archive.sha256 | test("^[0-9a-f]{64}\\z"));
      "spec.archive.sha256 is \($spec.archive.sha256[:99]): expected 64 hexadecimal digits, as sha256sum prints them"),
    is($route.gateway == null or $route.ingressClass == null;
      "give one of spec.route.gateway, for an HTTPRoute, and spec.route.ingressClass, for an Ingress")
  ]
| join("; ")
