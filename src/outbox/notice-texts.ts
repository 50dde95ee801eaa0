import type { Language } from '../core/text/language.ts'
import type { MailContent } from './message.ts'
import { renderMail } from './render-mail.ts'

/** A change to the sign-in of a user. The user gets a notice even if somebody else made the change. */
export type Notice =
  | 'passkey-added'
  | 'passkey-removed'
  | 'passkeys-cleared'
  | 'password-set'
  | 'totp-set'
  | 'totp-removed'
  | 'open-id-linked'
  | 'open-id-removed'
  | 'link-made'
  | 'new-browser'

/** No value is chosen by the person who made the change: a notice must not contain a stranger's text. */
interface NoticeFacts {
  readonly atMs: number
  /** The address of the client. */
  readonly address: string
  readonly accountUrl: string
}

interface NoticeTexts {
  readonly of: Readonly<Record<Notice, readonly [subject: string, text: string]>>
  when(time: string, address: string): string
  readonly link: string
  readonly note: string
}

const en: NoticeTexts = {
  of: {
    'passkey-added': [
      'A passkey was added',
      'A passkey was added to your login at the model gateway. The passkey can be used to sign in. All other sessions have ended.',
    ],
    'passkey-removed': [
      'A passkey was removed',
      'A passkey was removed from your login at the model gateway. The passkey can no longer be used to sign in. All other sessions have ended.',
    ],
    'passkeys-cleared': [
      'Your passkeys were removed',
      'An administrator has removed all passkeys of your login at the model gateway. All sessions have ended.',
    ],
    'password-set': [
      'Your password was changed',
      'The password of your login at the model gateway was changed. All other sessions have ended.',
    ],
    'totp-set': [
      'An authenticator app was set up',
      'An authenticator app was set up for your login at the model gateway. Signing in with the password now also needs a code from the app. All other sessions have ended.',
    ],
    'totp-removed': [
      'The authenticator app was removed',
      'The authenticator app was removed from your login at the model gateway. Signing in with the password no longer needs a code. All other sessions have ended.',
    ],
    'open-id-linked': [
      'Your login was linked to the identity provider',
      'Your login at the model gateway was linked to an identity at the identity provider, which can be used to sign in.',
    ],
    'open-id-removed': [
      'Your login was unlinked from the identity provider',
      'An administrator has unlinked your login at the model gateway from the identity provider. The next sign-in there with your email links it again. All sessions have ended.',
    ],
    'link-made': [
      'A sign-in link was created',
      'An administrator has created a link that signs in to the model gateway as you, once, within an hour. The values of your keys can no longer be shown; the keys keep working.',
    ],
    'new-browser': [
      'Sign-in with a new browser',
      'Somebody has signed in to the model gateway as you, with a browser that you have not used before.',
    ],
  },
  when: (time, address) => `Time: ${time} UTC. Address: ${address}.`,
  link: 'Open your account',
  note: 'If this was not you, set a new password, remove passkeys and sessions that you do not know, and tell your administrator.',
}

const zh: NoticeTexts = {
  of: {
    'passkey-added': [
      '已添加通行密钥',
      '您的模型网关登录账号新增了一个通行密钥，该密钥可用于登录。其他会话均已退出。',
    ],
    'passkey-removed': [
      '已移除通行密钥',
      '您的模型网关登录账号移除了一个通行密钥，该密钥不能再用于登录。其他会话均已退出。',
    ],
    'passkeys-cleared': [
      '通行密钥已被移除',
      '管理员移除了您的模型网关登录账号的所有通行密钥，所有会话均已退出。',
    ],
    'password-set': ['密码已修改', '您的模型网关登录密码已修改，其他会话均已退出。'],
    'totp-set': [
      '已启用身份验证器应用',
      '您的模型网关登录账号启用了身份验证器应用。今后使用密码登录时，还需输入应用中的验证码。其他会话均已退出。',
    ],
    'totp-removed': [
      '身份验证器应用已移除',
      '您的模型网关登录账号移除了身份验证器应用。今后使用密码登录时，不再需要验证码。其他会话均已退出。',
    ],
    'open-id-linked': [
      '登录账号已关联身份提供方',
      '您的模型网关登录账号已关联身份提供方的一个身份，该身份可用于登录。',
    ],
    'open-id-removed': [
      '登录账号已解除与身份提供方的关联',
      '管理员已解除您的模型网关登录账号与身份提供方的关联。下次使用您的邮箱在身份提供方登录时，会重新关联。所有会话均已退出。',
    ],
    'link-made': [
      '已创建登录链接',
      '管理员创建了一个以您的身份登录模型网关的链接，1 小时内可使用一次。您的密钥值不能再显示，但密钥仍可使用。',
    ],
    'new-browser': ['新浏览器登录', '有人使用您从未用过的浏览器，以您的身份登录了模型网关。'],
  },
  when: (time, address) => `时间：${time}（UTC）。地址：${address}。`,
  link: '打开账户页面',
  note: '如果不是您本人的操作，请立即设置新密码，移除不认识的通行密钥和会话，并告知管理员。',
}

const byLanguage: Readonly<Record<Language, NoticeTexts>> = { en, zh }

/** In a person's language; English when it is unknown. */
export function noticeMail(
  notice: Notice,
  { atMs, address, accountUrl }: NoticeFacts,
  language: string | null,
): MailContent {
  const texts = language === 'zh' ? byLanguage.zh : byLanguage.en
  const [subject, text] = texts.of[notice]
  const time = new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')
  return renderMail({
    subject,
    paragraphs: [text, texts.when(time, address)],
    link: { label: texts.link, url: accountUrl },
    note: texts.note,
  })
}
