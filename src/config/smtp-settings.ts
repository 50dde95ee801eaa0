import { type SmtpServer, smtpTlsModes } from '../core/network/smtp-server.ts'
import { setting } from './setting.ts'
import * as kinds from './setting-kinds.ts'

/** Email. Host and sender together enable it. */
export const smtpSettings = {
  smtpHost: setting(kinds.hostSetting, {
    member: null,
    about:
      'The mail server that sends invitations, password resets and alerts. Needs smtpFrom and publicUrl.',
  }),
  smtpPort: setting(kinds.portSetting, {
    member: null,
    byDefault: '587',
    about: 'The port of the mail server: usually 587 with starttls, 465 with implicit.',
  }),
  smtpTls: setting(kinds.enumSetting('MODE', smtpTlsModes), {
    member: null,
    byDefault: 'starttls',
    about:
      'starttls: the connection must switch to TLS; implicit: TLS from the start; off: no encryption, without a password unless the server is on this machine.',
  }),
  smtpUser: setting(kinds.lineSetting, {
    member: null,
    about: 'The user at the mail server, if it requires one; needs smtpPassword.',
  }),
  smtpPassword: setting(kinds.lineSetting, {
    member: null,
    isSecret: true,
    about: 'The password at the mail server.',
  }),
  smtpFrom: setting(kinds.senderSetting, {
    member: null,
    about: 'The sender of all email, such as gateway@example.com or Gateway <gateway@example.com>.',
  }),
}

interface SmtpValues {
  readonly host: string | undefined
  readonly port: number | undefined
  readonly tls: SmtpServer['tls'] | undefined
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string | undefined
  readonly publicUrl: string | undefined
}

const localHosts = ['localhost', '127.0.0.1', '::1']

/** Undefined when no mail server is configured; a text when the settings do not fit together. */
export function readSmtp(values: SmtpValues): SmtpServer | string | undefined {
  const { host, port = 587, tls = 'starttls', user, password, from, publicUrl } = values
  if (host === undefined) {
    const isHalf = from !== undefined || user !== undefined
    return isHalf ? 'smtpFrom and smtpUser need smtpHost; set smtpHost or remove them.' : undefined
  }
  if (from === undefined) return 'smtpHost needs smtpFrom: set the sender of all email.'
  if (publicUrl === undefined)
    return 'smtpHost needs publicUrl: links in email begin with this URL.'
  if ((user === undefined) !== (password === undefined))
    return 'smtpUser and smtpPassword must be set together; set both or neither.'
  if (user !== undefined && tls === 'off' && !localHosts.includes(host))
    return 'smtpTls: off would send smtpPassword unencrypted; use starttls or implicit.'
  const login = user === undefined || password === undefined ? undefined : { user, password }
  return { host, port, tls, login, from }
}
