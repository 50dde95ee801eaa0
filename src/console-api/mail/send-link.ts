import type { Language } from '../../core/text/language.ts'
import { mailTexts } from '../../outbox/mail-texts.ts'
import type { MailContent } from '../../outbox/message.ts'
import { enqueue } from '../../outbox/outbox-store.ts'
import type { ChangeContext } from '../changes/change.ts'
import type { SignedInCall } from '../routes/route.ts'
import { invitationPath, welcomePath } from './sign-in-url-of.ts'

interface LinkMail {
  readonly email: string
  /** The account that invites; null for a link of an operator. */
  readonly accountId: string | null
  readonly token: string
}

type MailingCall = Pick<SignedInCall, 'deps' | 'session'>

/** Queues the email of an invitation in the transaction that creates its link. Returns whether an email is sent. */
export async function mailInvitation(
  call: MailingCall,
  changing: ChangeContext,
  { email, accountId, token }: LinkMail & { readonly accountId: string },
): Promise<boolean> {
  const account = await changing.tx
    .selectFrom('account')
    .select('name')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return mailLink(call, changing, 'invitation', {
    email,
    accountId,
    content: (root, language) =>
      mailTexts(language).invitation({
        account: account?.name ?? accountId,
        url: `${root}${invitationPath(token)}`,
      }),
  })
}

/** Queues the email for a person for whom an operator has created a user. */
export function mailWelcome(
  call: MailingCall,
  changing: ChangeContext,
  { email, accountId, token }: LinkMail,
): Promise<boolean> {
  return mailLink(call, changing, 'welcome', {
    email,
    accountId,
    content: (root, language) =>
      mailTexts(language).welcome({ url: `${root}${welcomePath(token)}` }),
  })
}

/** A new person has no language yet, so the email uses that of the person who adds them. */
async function mailLink(
  { deps, session }: MailingCall,
  changing: ChangeContext,
  purpose: string,
  mail: {
    readonly email: string
    readonly accountId: string | null
    readonly content: (root: string, language: Language) => MailContent
  },
): Promise<boolean> {
  const port = deps.gateway.mail
  if (!port) return false
  const language = session.language === 'zh' ? 'zh' : 'en'
  return enqueue(
    changing,
    { vault: deps.vault, nowMs: changing.nowMs },
    {
      purpose,
      accountId: mail.accountId,
      alertId: null,
      channel: 'email',
      target: mail.email,
      content: { mail: mail.content(port.publicUrl, language) },
    },
  )
}
