/** A passkey of a user; see `passkeys`. */
export interface PasskeyTable {
  id: string
  user_id: string
  /** Chosen by the user, to recognise the passkey. */
  name: string
  /** The host name of the console when the passkey was created. It works only there. */
  rp_id: string
  /** Base64url, chosen by the authenticator. */
  credential_id: string
  /** Base64url of the COSE key. */
  public_key: string
  /** The signature counter of the last use; 0 if the authenticator does not count. */
  counter: number
  /** JSON list: how a browser reaches the authenticator. */
  transports: string
  created_at: number
  used_at: number | null
}

/** A challenge that no passkey has answered yet. */
export interface PasskeyChallengeTable {
  /** Keyed hash of the challenge. */
  challenge_hash: string
  /** `sign-in`, `confirm` or `add`. */
  purpose: string
  /** Keyed hash of the cookie of the browser, or that of the session. */
  holder_hash: string
  expires_at: number
}

export interface PasskeyTables {
  passkey: PasskeyTable
  passkey_challenge: PasskeyChallengeTable
}
