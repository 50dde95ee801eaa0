export const smtpTlsModes = ['starttls', 'implicit', 'off'] as const

/** A mail server and the sender of all messages. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** `starttls` and `implicit` both require TLS with a valid certificate. */
  readonly tls: (typeof smtpTlsModes)[number]
  readonly login: { readonly user: string; readonly password: string } | undefined
  readonly from: string
  /** Roots in place of the system's; for tests. */
  readonly ca?: string
}
