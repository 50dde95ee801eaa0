export const signInWords = {
  'signIn.title': 'Sign in',
  'signIn.welcome': 'The console of your model gateway',
  'signIn.email': 'Email',
  'signIn.password': 'Password',
  'signIn.submit': 'Sign in',
  'signIn.label.Single sign-on': 'Single sign-on',
  'signIn.byLink': 'Signing you in…',
  'signIn.noPassword':
    'No password yet? Open the sign-in link that the gateway printed when it started, or run {{command}} for a new one.',
  'signIn.linkSpentTitle': 'This link does not work any more',
  'signIn.linkSpent':
    'A sign-in link works once and for one hour. Start the gateway again, or run {{command}}, to get a new one.',
  'signIn.invitedTo': 'You sign in as an invited member of the account {{account}}.',
  'invitation.title': 'You are invited',
  'invitation.text':
    'Somebody has invited you to an account of this model gateway. If you have a login here, sign in first: the invitation waits for you there.',
  'invitation.accept': 'Accept without a login',
  'invitation.signIn': 'Sign in',
  'invitation.spentTitle': 'This invitation does not work any more',
  'invitation.spent':
    'It has been used, has been withdrawn or is older than a week. Ask whoever invited you for a new link.',
  'signIn.openIdTitle': 'Single sign-on did not work',
  'signIn.openIdFailed': 'The identity provider did not confirm who you are. Try again.',
  'signIn.openIdUnknown': 'Nobody here has that email. Ask an administrator to add you.',
}
