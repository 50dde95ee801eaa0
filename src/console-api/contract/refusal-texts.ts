import { type ProblemValues, problemMessage, type ValueProblem } from '../../fields/problems.ts'

/*
 * Problems of a request by code. The texts are for programs and the log; the browser has its own text for each code in
 * the user's language. Braces are placeholders.
 */

/** These follow the name of a field. */
export const fieldProblemTexts = {
  objects_wrong: 'must be a list of objects',
  parameter_long: 'must be text of 1 to {max} characters',
  account_unknown: 'names the account "{id}", which does not exist',
  group_unknown: 'names the group "{id}", which does not exist',
  model_unknown: 'names the model "{id}", which does not exist',
  upstream_unknown: 'names the upstream "{id}", which does not exist',
  key_unknown: 'names the key "{id}", which this account does not have',
  group_forbidden: 'names "{id}", which this account cannot use',
  built_in: 'cannot be changed for the built-in upstream',
  model_in_path: 'is required: the model is part of the path',
  model_needed: 'is required: this upstream has no route yet',
  price_past: 'must not be in the past',
  price_planned: 'must be later than every scheduled version',
  place_needed: 'is required, or else group and model, but not both',
  routes_stray: 'must all belong to the specified group, model or upstream',
  routes_twice: 'must list each route only once',
  protocol_wrong: 'must be any, or one of {words}',
  base_url_needed: 'is required: {vendor} has no default base URL',
  id_start_wrong: 'is not the start of an ID',
  status_wrong: 'must be an HTTP status, error or ok',
  time_wrong: 'is not a time in milliseconds since 1970',
  step_small: 'is too small: a series has at most {max} points',
  range_reversed: 'must not be before from',
  range_long: 'must not be more than {max} days before to',
  day_wrong: 'must be a day such as 2026-11-01',
  account_not_owned: 'must be an account that you own',
  beyond_maker: 'must not grant more than the token that creates it',
  value_operator: 'can only be set by an operator or a token',
  value_personal: 'can only be set by an operator for a key that belongs to a user',
  owner_unknown: 'names "{id}", who is not a member of this account with the role member or owner',
  priority_owner: 'can only be changed by an owner of the account',
  priority_operator:
    'must not be higher than that of the groups of the key, unless an operator sets it',
  settings_locked: 'can only be changed by an owner of the account, who has locked the settings',
  owner_not_you: 'can only name you: an owner of the account creates other keys',
  parameter_twice: 'must appear only once',
  cursor_wrong: 'is not a "next" value from a previous page',
  tags_wrong: 'must be *, or entity tags in double quotes, separated by commas',
  idempotency_key_wrong: 'must be 1 to {max} printable characters without spaces',
} as const

/** Complete sentences. */
export const stateProblemTexts = {
  body_not_json:
    'The body must be JSON, with content-type application/json and without content-encoding.',
  body_not_object: 'The body is not a JSON object.',
  body_not_utf8: 'The body is not valid UTF-8.',
  body_ambiguous: 'The body is ambiguous: {why}.',
  body_cut: 'The connection ended before the body was complete.',
  target_wrong: 'The URL path is ambiguous. Write it as the documentation does.',
  recording_forbidden: 'The operator of the gateway does not allow recordings.',
  email_taken: 'A user with this email already exists.',
  member_already: 'This user is already a member.',
  member_open_id:
    'Groups at the identity provider control the membership of {email}. Change the groups there; the next sign-in applies them. To block this user immediately, suspend the user.',
  sign_in_open_id:
    'You sign in with your identity provider, so you cannot set or use a password or a passkey here.',
  members_full: 'An account can have at most {max} members. Remove one first.',
  login_not_proven: 'This user’s email is not verified. Mark it as verified first.',
  invitation_expired:
    'The invitation of this user has expired. Add the person to the account, or ask an owner to invite them again.',
  login_proven: 'This user’s email is already verified.',
  login_suspended: 'This user is suspended.',
  key_taken: 'The key ID "{id}" is already in use or was used before.',
  value_taken: 'Key "{key}" already has this value. Every key needs its own value.',
  value_used: 'Another key already has this value. Every key needs its own value.',
  value_retired:
    'This value belonged to the key of a user, who has left the account or replaced the value. Every key needs a new value.',
  value_stopped:
    'This key lost its value when its owner left the account. Rotate the key to use it again.',
  value_hidden:
    'The value can no longer be shown, because someone else received a sign-in link or set the password for this user. The key still works. Rotate the key to see a new value.',
  owner_fixed: 'A key cannot change its owner. Give the new key another ID.',
  owner_active: 'The owner of this key is an active member of the account. Delete the key instead.',
  owner_not_member:
    'You are not a member of the account of this key, or only a viewer, so a new value would not work. Convert the key to a service key instead.',
  key_is_service: 'This key is already a service key.',
  alert_taken: 'The alert "{id}" already exists with another account or channel.',
  account_taken: 'The account "{id}" already exists.',
  credential_taken: 'The credential "{id}" already exists.',
  group_taken: 'The group "{id}" already exists.',
  model_taken: 'The model "{id}" already exists.',
  upstream_taken: 'The upstream "{id}" already exists.',
  credit_short:
    'Cannot deduct {wanted}: only {available} is available. {leased} is reserved for requests; unused money returns to the balance.',
  credit_unconfirmed:
    'Grants of {from} or more need a confirmation: repeat the request with ?confirm=true to add {amount}.',
  balance_too_large: 'The available balance of an account cannot exceed {max}. Nothing was added.',
  reversal_final: 'A reversal cannot be reversed. Grant a new credit instead.',
  credit_ambiguous: 'More than one credit is named "{credit}". Specify one of {ids}.',
  credit_taken:
    'The id "{id}" already belongs to another credit: {amount} for the account "{account}". Nothing was changed. Use another id.',
  account_not_stopped: 'The self-audit has not stopped this account.',
  own_role: 'You cannot demote or suspend yourself. Ask another administrator.',
  own_login: 'You cannot delete yourself. Ask another administrator.',
  last_admin:
    'This is the only administrator who can sign in. Make another user an administrator first.',
  last_owner:
    'The account "{account}" needs at least one owner. Make another member an owner first.',
  model_routed: 'This model still has routes. Remove them first.',
  model_in_ledger:
    'The ledger refers to this model’s prices, so it cannot be deleted. Remove its routes to stop calls.',
  group_routed: 'This group still has routes. Remove them first.',
  group_used: 'Key "{key}" uses this group. Change the key first.',
  database_silent: 'The database is not responding. Try again in a few seconds.',
  tokens_many: 'There are already {max} valid tokens. Revoke unused tokens first.',
  idempotency_full:
    'The limit of {max} idempotency keys in {hours} hours is reached. Try again later.',
  ledger_check_busy: 'A ledger check is already running. Try again when it has finished.',
  document_wrong: '{why}',
  state_moving: 'The settings changed while they were being read. Try again.',
  apply_busy: 'Another document is being applied. Try again when it has finished.',
  mail_off:
    'No mail server is configured. Ask an administrator or an owner of your account for a link.',
  passkeys_off:
    'Passkeys need a console with a host name and https. Ask an administrator to set publicUrl.',
  passkeys_many: 'You already have {max} passkeys. Remove one first.',
  passkey_wrong: 'The passkey could not be verified. Try again.',
  passkey_taken: 'This passkey is already registered.',
  passkey_last:
    'This passkey is your only way to sign in. Set a password or add another passkey first.',
  alerts_many: 'There are already {max} alerts. Delete one first.',
  message_not_failed: 'Only a failed message can be sent again.',
  message_in_flight: 'An attempt to send this message is still running. Try again in two minutes.',
  message_not_stored:
    'The content of this message is not stored, so it cannot be sent again. Only failed messages of an existing alert can be sent again, each one once.',
  alert_disabled: 'The alert of this message is disabled. Enable the alert first.',
  recipient_removed: '{email} is no longer a recipient of the alert.',
  message_resent_often: 'This message was already sent again {max} times.',
  outbox_full: 'Too many messages wait. Try again when some of them have been sent.',
  exports_busy: 'Too many exports are running. Try again when one has finished.',
} as const

export type FieldProblem = keyof typeof fieldProblemTexts
export type StateProblem = keyof typeof stateProblemTexts

/** Like `says`, for problems that only the console has. */
export const consoleProblemMessage: (
  problem: ValueProblem | FieldProblem,
  values?: ProblemValues,
) => string = problemMessage as never
