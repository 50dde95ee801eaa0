import type { Language } from '../core/text/language.ts'
import type { MailContent } from './message.ts'
import { renderMail } from './render-mail.ts'

/** Emails with a link, and the test. Each language has the same texts. */
interface MailTexts {
  invitation(values: { account: string; url: string }): MailContent
  welcome(values: { url: string }): MailContent
  passwordReset(values: { url: string }): MailContent
  test(): MailContent
}

const en: MailTexts = {
  invitation: ({ account, url }) =>
    renderMail({
      subject: `You are invited to ${account}`,
      paragraphs: [
        `You are invited to the account ${account} of a model gateway.`,
        'Open this link to accept. It works once and expires after 7 days. Then set a password.',
      ],
      link: { label: 'Accept the invitation', url },
      note: 'If you did not expect this invitation, ignore this email.',
    }),
  welcome: ({ url }) =>
    renderMail({
      subject: 'Sign in to the model gateway',
      paragraphs: [
        'An administrator has given you access to a model gateway.',
        'Open this link to sign in. It works once and expires after 7 days. Then set a password.',
      ],
      link: { label: 'Sign in', url },
    }),
  passwordReset: ({ url }) =>
    renderMail({
      subject: 'Reset your password',
      paragraphs: [
        'Someone requested a password reset for this email address.',
        'Open this link to choose a new password. It works once and expires after 1 hour.',
      ],
      link: { label: 'Choose a new password', url },
      note: 'If you did not request this, ignore this email. Your password stays the same.',
    }),
  test: () =>
    renderMail({
      subject: 'Test email from the model gateway',
      paragraphs: ['The gateway can send email.'],
    }),
}

const zh: MailTexts = {
  invitation: ({ account, url }) =>
    renderMail({
      subject: `邀请您加入 ${account}`,
      paragraphs: [
        `您受邀加入模型网关的账户 ${account}。`,
        '打开以下链接接受邀请。链接只能使用一次，7 天后失效。随后请设置密码。',
      ],
      link: { label: '接受邀请', url },
      note: '如果您并不知晓此邀请，请忽略本邮件。',
    }),
  welcome: ({ url }) =>
    renderMail({
      subject: '登录模型网关',
      paragraphs: [
        '管理员已为您开通模型网关的登录权限。',
        '打开以下链接登录。链接只能使用一次，7 天后失效。随后请设置密码。',
      ],
      link: { label: '登录', url },
    }),
  passwordReset: ({ url }) =>
    renderMail({
      subject: '重置密码',
      paragraphs: [
        '有人请求重置此邮箱的登录密码。',
        '打开以下链接设置新密码。链接只能使用一次，1 小时后失效。',
      ],
      link: { label: '设置新密码', url },
      note: '如果不是您本人操作，请忽略本邮件，您的密码不会改变。',
    }),
  test: () => renderMail({ subject: '模型网关测试邮件', paragraphs: ['网关可以发送邮件。'] }),
}

const byLanguage: Readonly<Record<Language, MailTexts>> = { en, zh }

/** The texts in a person's language; English when it is unknown. */
export function mailTexts(language: string | null | undefined): MailTexts {
  return language === 'zh' ? byLanguage.zh : byLanguage.en
}
