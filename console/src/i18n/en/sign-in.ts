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
  'signIn.openIdTitle': 'Single sign-on did not work',
  'signIn.openIdFailed': 'The identity provider did not confirm who you are. Try again.',
  'signIn.openIdUnknown': 'Nobody here has that email. Ask an administrator to add you.',
}
