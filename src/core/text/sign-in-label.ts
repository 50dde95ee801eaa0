/** The label of the sign-in button while the setting openIdLabel has none. The console translates it. */
export const defaultSignInLabel = 'Single sign-on'
