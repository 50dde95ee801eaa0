const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** The certificates of a PEM text, in order, without any other content. */
export function certificatesIn(text: string): readonly string[] {
  return text.match(certificate) ?? []
}
