/** What a token or an alert is about: the whole gateway, or one account. */
export type Reach = 'gateway' | 'account'
