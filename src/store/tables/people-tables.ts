import type { Generated } from 'kysely'
import type { BudgetColumns, TotalColumn } from './budget-tables.ts'
import type { LimitColumns } from './limit-tables.ts'

export interface ConsoleUserTable {
  id: string
  /** The email address, which is also the sign-in name. */
  email: string
  password_hash: string | null
  role: string
  /** 1: the user may not sign in. */
  suspended: Generated<number>
  language: string | null
  theme: string | null
  seen_at: number | null
  /** The secret of the authenticator app, and a new one that waits for its first code. */
  totp_sealed: string | null
  totp_wanted_sealed: string | null
  /** The last time step of an accepted code; no code is accepted twice. */
  totp_step: Generated<number>
  /** JSON list of keyed hashes. */
  recovery_hashes: Generated<string>
  /** Issuer and subject at an identity provider. */
  open_id: string | null
  /** The address that an invited login claims; `email` is a placeholder then. */
  invited_email: string | null
  /** The account that an invited login is limited to. Null: the address of this login is verified. */
  invited_to: string | null
  /** Who invited this login: an actor of the audit log. Null if nobody knows. */
  invited_by: string | null
  /** When the invitation was given last. Null if a process of an earlier version wrote it: `created_at` counts then. */
  invited_at: number | null
  /**
   * The source of the proof that the address belongs to this person: `operator` or `open-id`. Null for an invited
   * login.
   */
  proof: string | null
  proven_at: number | null
  /** `open-id`: the identity provider brought this user here. Otherwise `manual`. */
  source: Generated<string>
  created_at: number
}

/** The limits of a member who has left the account. */
export interface FormerMemberTable extends BudgetColumns, TotalColumn, LimitColumns {
  user_id: string
  account_id: string
  /** The address of the login, also of one that was deleted. */
  email: string
  /** The login that has taken the place of this one. */
  successor_id: string | null
}

export interface MembershipTable extends BudgetColumns, TotalColumn, LimitColumns {
  user_id: string
  account_id: string
  /** `owner`, `member` or `viewer`. */
  role: Generated<string>
  /** `open-id`: the groups at the identity provider decide about this membership. Otherwise `manual`. */
  source: Generated<string>
}
