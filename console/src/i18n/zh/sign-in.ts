import type { signInTexts as english } from '../en/sign-in.ts'

export const signInTexts: Record<keyof typeof english, string> = {
  'signIn.title': '登录',
  'signIn.welcome': '模型网关控制台',
  'signIn.email': '邮箱',
  'signIn.password': '密码',
  'signIn.passwordNeeded': '请输入密码。',
  'signIn.submit': '登录',
  'signIn.label': '单点登录',
  'signIn.passkey': '使用通行密钥登录',
  'signIn.forgot': '忘记密码？',
  'forgot.title': '重置密码',
  'forgot.text': '请输入您的邮箱，我们会发送设置新密码的链接。',
  'forgot.submit': '发送链接',
  'forgot.back': '返回登录',
  'forgot.sentTitle': '请查收邮件',
  'forgot.sent':
    '如果此邮箱对应的用户存在，您将收到一封带链接的邮件。链接只能使用一次，1 小时后过期。',
  'newPassword.title': '设置新密码',
  'newPassword.text': '保存后，您的所有会话都会结束，通行密钥也会被移除。请用新密码登录。',
  'newPassword.done': '新密码已保存，请使用新密码登录。',
  'firstPassword.title': '设置密码',
  'firstPassword.text': '登录链接只能使用一次。请设置密码，以便下次以 {{email}} 登录。',
  'firstPassword.later': '以后再说',
  'signIn.noPassword':
    '还没有密码？请打开您收到的链接。如果您是管理员，请打开网关启动时在终端打印的登录链接，或运行 {{command}} 获取新链接。',
  'signIn.linkSpentTitle': '此链接已失效',
  'signIn.linkSpent':
    '登录链接只能使用一次，有效期为 1 小时，新用户的链接为 7 天。请向管理员索取新链接；如果您是管理员，请重新启动网关，或运行 {{command}}。',
  'signIn.invitedTo': '您将以账户 {{account}} 受邀成员的身份登录。',
  'invitation.title': '您收到了邀请',
  'invitation.text':
    '您被邀请加入此模型网关的一个账户。如果您已经可以登录，请先登录，登录后会显示邀请。',
  'invitation.accept': '以新用户身份接受',
  'invitation.signIn': '登录',
  'invitation.spentTitle': '此邀请已失效',
  'invitation.spent': '链接不完整、邀请已被使用或撤回，或已超过 7 天。请向邀请您的人索取新链接。',
  'signIn.openIdTitle': '单点登录失败',
  'signIn.openIdFailed': '身份提供商没有确认您的身份，请重试。',
  'signIn.openIdUnknown': '这里没有使用该邮箱的用户，请联系管理员添加。',
  'signIn.openIdStale':
    '身份提供商没有确认您已重新登录，请重试。如果问题一直存在，请让管理员检查单点登录设置。',
  'signIn.openIdTaken':
    '使用您邮箱的用户已关联其他身份。请联系管理员解除该用户与身份提供商的关联，然后重新登录。',
  'signIn.openIdEmail': '身份提供商尚未验证您的邮箱。请先在身份提供商处完成验证，然后重试。',
  'signIn.openIdDomain': '使用您邮箱域名的用户需先由管理员添加才能登录，请联系管理员。',
  'signIn.openIdGroup':
    '您不在任何有权访问此网关的组中。请让管理员在身份提供商处将您加入相应的组，然后重新登录。',
  'signIn.openIdClaim': '身份提供商没有提供您的组信息，请让管理员检查单点登录设置。',
}
