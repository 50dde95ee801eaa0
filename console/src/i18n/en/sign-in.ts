export const signInTexts = {
  'signIn.title': 'Sign in',
  'signIn.welcome': 'Console of your model gateway',
  'signIn.email': 'Email',
  'signIn.password': 'Password',
  'signIn.passwordNeeded': 'Enter your password.',
  'signIn.submit': 'Sign in',
  'signIn.label': 'Single sign-on',
  'signIn.passkey': 'Sign in with a passkey',
  'signIn.forgot': 'Forgot password?',
  'forgot.title': 'Reset your password',
  'forgot.text': 'Enter your email to receive a link for setting a new password.',
  'forgot.submit': 'Send link',
  'forgot.back': 'Back to sign-in',
  'forgot.sentTitle': 'Check your email',
  'forgot.sent':
    'If a user with this email exists, an email with a link is on its way. The link works once and expires after 1 hour.',
  'newPassword.title': 'Set a new password',
  'newPassword.text':
    'Saving ends all your sessions and removes your passkeys. Then sign in with the new password.',
  'newPassword.done': 'New password saved. Sign in with it.',
  'firstPassword.title': 'Set a password',
  'firstPassword.text':
    'The link you used works only once. Set a password so that you can sign in again as {{email}}.',
  'firstPassword.later': 'Not now',
  'signIn.noPassword':
    'No password yet? Open the link that you were sent. If you are the administrator, open the sign-in link that the gateway printed when it started, or run {{command}} to get a new one.',
  'signIn.linkSpentTitle': 'This link is no longer valid',
  'signIn.linkSpent':
    'A sign-in link works once, within 1 hour, or within 7 days for a new user. Ask your administrator for a new one. If you are the administrator, restart the gateway or run {{command}}.',
  'signIn.invitedTo': 'You are signing in as an invited member of account {{account}}.',
  'signIn.otherUser': 'Sign in as another user',
  'signIn.invitedHint':
    'If an account owner invited you and your email is not verified yet, sign in at the address that was shown when you set your password.',
  'invitation.title': 'You are invited',
  'invitation.text':
    'You are invited to an account of this model gateway. If you can already sign in here, sign in first: the invitation appears afterwards.',
  'invitation.accept': 'Accept as a new user',
  'invitation.signIn': 'Sign in',
  'invitation.spentTitle': 'This invitation is no longer valid',
  'invitation.spent':
    'The link is incomplete, was used or withdrawn, or is more than 7 days old. Ask the person who invited you for a new link.',
  'signIn.openIdTitle': 'Single sign-on failed',
  'signIn.openIdFailed': 'The identity provider did not confirm your identity. Try again.',
  'signIn.openIdUnknown': 'No active user has this email. Ask an administrator for access.',
  'signIn.openIdStale':
    'The identity provider did not confirm that you signed in again. Try again. If this happens every time, ask your administrator to check the single sign-on settings.',
  'signIn.openIdTaken':
    'Your email belongs to a user who is linked to another identity. Ask an administrator to unlink the user from the identity provider, then sign in again.',
  'signIn.openIdEmail':
    'The identity provider has not verified your email. Verify it there, then try again.',
  'signIn.openIdDomain':
    'Users with an email of your domain must be added before they can sign in. Ask an administrator to add you.',
  'signIn.openIdGroup':
    'You are not in a group that has access to this gateway. Ask your administrator to add you to a group at the identity provider, then sign in again.',
  'signIn.openIdClaim':
    'The identity provider did not send your groups. Ask an administrator to check the single sign-on settings.',
  'password.title': 'Password',
  'password.set': 'Set password',
  'password.change': 'Change password',
  'password.has': 'A password is set. Changing it signs you out of all other sessions.',
  'password.hasNone':
    'No password is set: you signed in with a link. Set a password so that you can sign in again.',
  'password.hasPasskey': 'No password is set. You sign in with a passkey.',
  'password.hasOpenId': 'No password is set. You sign in with your identity provider.',
  'password.invited':
    'Until your email is verified, sign in with your password at this address: {{url}}',
  'password.new': 'New password',
  'password.again': 'Confirm password',
  'password.length': 'At least {{min, number}} characters.',
  'password.hint':
    'At least {{min, number}} characters. Saving signs you out of all other sessions.',
  'password.differs': 'The passwords do not match.',
  'password.save': 'Save password',
  'password.saved': 'Password saved.',
}
