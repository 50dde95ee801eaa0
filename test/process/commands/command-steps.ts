import { mkdirSync, writeFileSync } from 'node:fs'
import {
  addMember,
  endMembership,
  openToOperators,
  recordRequests,
  type Side,
  setRecordsAside,
  stopAccount,
} from './both-ways.ts'

/** A command that runs on both sides. */
export interface Step {
  /** `<name>` stands for a value that an earlier step has kept. */
  readonly line: string
  readonly code?: number
  /** The pattern that the output must match on both sides. */
  readonly says?: RegExp
  /** Keeps what the first group finds, for later steps. */
  readonly keep?: readonly [name: string, found: RegExp]
  /** Further arguments of the local command. */
  readonly here?: string
  readonly before?: (side: Side) => void | Promise<void>
}

const listening = '--listen 127.0.0.1:8123'

export const commandSteps: readonly Step[] = [
  { line: 'accounts create beta --name Beta --credit 5.5', says: /created with \$5.50/ },
  { line: 'accounts create beta', code: 1, says: /The account "beta" already exists/ },
  { line: 'accounts create gamma', says: /\$0.00/ },
  { line: 'accounts credit beta 4.500000001 --reason gift --id inv-7', says: /10.000000001/ },
  {
    line: 'accounts credit beta 4.500000001 --reason gift --id inv-7',
    says: /already exists; nothing was added/,
  },
  {
    line: 'accounts credit beta 9 --id inv-7',
    code: 1,
    says: /"inv-7" already belongs to another credit: \$4.500000001 for the account "beta"/,
  },
  {
    line: 'accounts credit gamma 4.500000001 --id inv-7',
    code: 1,
    says: /"inv-7" already belongs to another credit: \$4.500000001 for the account "beta"/,
  },
  { line: 'accounts credit beta 1', says: /\$11.000000001 available/ },
  { line: 'accounts credit nope 1', code: 1, says: /There is no account "nope"; create it/ },
  { line: 'accounts correct beta 1 --reason typo --id fix-1 --yes', says: /deducted from beta/ },
  {
    line: 'accounts correct beta 1 --reason typo --id fix-1 --yes',
    says: /already exists; nothing was taken/,
  },
  { line: 'accounts correct beta 99 --reason typo --yes', code: 1, says: /cannot be deducted/ },
  { line: 'accounts correct beta 1 --reason typo', code: 2, says: /repeat the command with --yes/ },
  { line: 'accounts reverse beta inv-7 --yes', says: /of \$4.500000001 is reversed/ },
  { line: 'accounts reverse beta inv-7 --yes', says: /is already reversed; nothing changed/ },
  { line: 'accounts reverse beta nope --yes', code: 1, says: /has no credit "nope"/ },
  { line: 'accounts reverse nope inv-7 --yes', code: 1, says: /There is no account "nope"/ },
  { line: 'accounts suspend beta', says: /is suspended/ },
  { line: 'accounts suspend beta', says: /was already suspended/ },
  { line: 'accounts resume beta', says: /is active/ },
  { line: 'accounts resume nope', code: 1, says: /There is no account "nope"; see/ },
  { line: 'accounts list', says: /^beta +Beta +5.50 +none +active$/m },
  { line: 'accounts list --json', says: /"available": "5.50",\n {4}"budgets": \[\]/ },

  {
    line: 'keys create --account beta --name ci --model gpt-x --quota 5 --expires 2099-01-01 --address ::1',
    keep: ['key', /^id +(\S+)$/m],
  },
  { line: 'keys list --account beta --json', says: /"name": "ci"/ },
  { line: 'keys create --account beta --name own --value brought-along-0123456789' },
  {
    line: 'keys create --account beta --name own --value brought-along-0123456789',
    code: 1,
    says: /already has this value/,
  },
  { line: 'keys create --account nope --name n', code: 1, says: /There is no account "nope"/ },
  {
    line: 'keys create --account beta --name n --group gold',
    code: 1,
    says: /There is no group "gold"/,
  },
  { line: 'keys create --account beta', code: 2, says: /needs --name/ },
  { line: 'keys reveal <key>', says: /^sk-\w{48}$/m },
  { line: 'keys reveal nope', code: 1, says: /There is no key "nope"/ },
  { line: 'keys disable <key>', says: /is disabled/ },
  { line: 'keys disable <key>', says: /was already disabled/ },
  { line: 'keys enable <key>', says: /is enabled/ },
  { line: 'keys enable nope', code: 1, says: /There is no key "nope"/ },
  {
    line: 'keys create --account beta --name hers --owner lee@example.com',
    before: (side) => addMember(side, 'beta', 'lee@example.com'),
    says: /^value +shown only to lee@example.com, in the console$/m,
    keep: ['hers', /^id +(\S+)$/m],
  },
  { line: 'keys reveal <hers>', code: 1, says: /Only that user can see, replace or use its value/ },
  { line: 'keys convert <hers>', code: 1, says: /is an active member of the account/ },
  {
    line: 'usage export --account beta --member lee@example.com',
    before: (side) => endMembership(side, 'beta'),
    says: /^request_id,time,account,/,
  },
  {
    line: 'usage export --account beta --member max@example.com',
    code: 1,
    says: /has no member "max@example.com"/,
  },
  {
    line: 'keys convert <hers>',
    before: (side) => endMembership(side, 'beta'),
    says: /^value +sk-\w{48}$/m,
  },
  { line: 'keys convert <hers>', code: 1, says: /is a service key already/ },
  { line: 'usage export --account beta --member lee@example.com', says: /^request_id,time,/ },
  {
    line: 'usage export --account beta --member user_none',
    code: 1,
    says: /has no member "user_none"/,
  },
  { line: 'keys reveal <hers>', says: /^sk-\w{48}$/m },
  { line: 'keys convert nope', code: 1, says: /There is no key "nope"/ },
  { line: 'keys list --account acme', says: /laptop/ },
  { line: 'keys list --account nope', says: /There are no keys/ },

  {
    line: 'members limit acme ann@example.com --daily 5 --budget-zone Europe/Paris --concurrent-requests 2',
    says: /^budgets of ann@example.com in acme: day 0.00\/5.00, 5.00 left until \S+T\d\d:00Z$/m,
  },
  { line: 'members limit acme ann@example.com', code: 2, says: /needs at least one option/ },
  { line: 'members limit acme bob@example.com --daily 5', code: 1, says: /has no member/ },
  { line: 'members list acme', says: /^ann@example.com +member +day 0.00\/5.00, .+ 2 at once$/m },
  { line: 'members list acme --json', says: /"remaining": "5.00"/ },
  { line: 'members list nope', code: 1, says: /There is no account "nope"/ },
  {
    line: 'members add beta eve@example.com --daily 3',
    here: listening,
    says: /^eve@example.com is a member of beta with the role member\nsign-in link, valid once within 7 days: http/,
  },
  {
    line: 'members add nope eve@example.com',
    here: listening,
    code: 1,
    says: /There is no account "nope"/,
  },
  { line: 'members add beta eve', code: 2, says: /must be an email address/ },
  { line: 'members add beta', code: 2, says: /needs EMAIL or --file/ },
  { line: 'members role beta eve@example.com viewer', says: /has the role viewer in beta/ },
  { line: 'members role beta eve@example.com king', code: 2, says: /The role must be one of/ },
  { line: 'members list beta', says: /^eve@example.com +viewer +day 0.00\/3.00/m },
  { line: 'members remove beta eve@example.com', code: 2, says: /repeat the command with --yes/ },
  { line: 'members remove beta eve@example.com --yes', says: /no longer a member of beta/ },
  { line: 'members remove beta eve@example.com --yes', code: 1, says: /has no member/ },
  {
    line: 'members add beta dora@example.com --role owner',
    here: listening,
    says: /with the role owner/,
  },
  {
    line: 'members role beta dora@example.com member',
    code: 2,
    says: /After this, the account "beta" has no owner who can sign in; there is no terminal .* with --yes/,
  },
  { line: 'members list beta', says: /^dora@example.com +owner/m },
  { line: 'members role beta dora@example.com member --yes', says: /has the role member/ },
  { line: 'members role beta dora@example.com owner', says: /has the role owner/ },
  { line: 'users suspend dora@example.com', code: 2, says: /account "beta" has no owner who can/ },
  { line: 'users list --search dora', says: /dora@example.com .* active$/m },
  { line: 'users suspend dora@example.com --yes', says: /is suspended/ },
  { line: 'members remove beta dora@example.com --yes', says: /no longer a member of beta/ },
  { line: 'users delete dora@example.com --yes', says: /is deleted/ },

  { line: 'accounts update beta --requests-per-minute 600', says: /changed: requests-per-minute/ },
  { line: 'accounts update beta --daily 9 --name Beta', says: /account beta changed: / },
  { line: 'accounts update beta --daily none --requests-per-minute none' },
  { line: 'accounts update beta', code: 2, says: /needs at least one option/ },
  { line: 'accounts update nope --name N', code: 1, says: /There is no account "nope"/ },
  {
    line: 'keys create --account beta --name short-lived',
    keep: ['short', /^id +(\S+)$/m],
  },
  {
    line: 'keys update <short> --requests-per-minute 6 --quota 2 --model gpt-x',
    says: /changed: .*requests-per-minute/,
  },
  { line: 'keys update <short> --requests-per-minute none --quota none' },
  {
    line: 'keys update <short> --model-limits [{"model":"gpt-x","requestsPerMinute":6}]',
    says: /changed: .*model-limits/,
  },
  { line: 'keys update <short> --model-limits []', says: /changed: .*model-limits/ },
  {
    line: 'keys update <short> --model-limits gpt-x',
    code: 2,
    says: /--model-limits must be a list of models with their limits, not "gpt-x"/,
  },
  { line: 'keys update <short>', code: 2, says: /needs at least one option/ },
  { line: 'keys update nope --name n', code: 1, says: /There is no key "nope"/ },
  { line: 'keys rotate <short>', code: 2, says: /repeat the command with --yes/ },
  { line: 'keys rotate <short> --yes', says: /^value +sk-\w{48}$/m },
  { line: 'keys rotate nope --yes', code: 1, says: /There is no key "nope"/ },
  { line: 'keys delete <short>', code: 2, says: /repeat the command with --yes/ },
  { line: 'keys delete <short> --yes', says: /is deleted/ },
  { line: 'keys delete <short> --yes', code: 1, says: /There is no key/ },

  {
    line: 'users create kim@example.com --role admin',
    here: listening,
    says: /^user \S+ kim@example.com created with the role admin\nsign-in link, valid once within 7 days: http/,
    keep: ['kim', /^user (\S+) kim/],
  },
  {
    line: 'users create kim@example.com',
    here: listening,
    code: 1,
    says: /The user "kim@example.com" already exists/,
  },
  { line: 'users create kim', code: 2, here: listening, says: /an email address/ },
  { line: 'users list', says: /^\S+ +ann@example.com +member +acme:member +- +never +active$/m },
  { line: 'users list --role admin --json', says: /"email": "kim@example.com"/ },
  { line: 'users list --role king', code: 2, says: /--role must be one of/ },
  { line: 'users list --search kim --suspended true', says: /There are no such users/ },
  { line: 'users suspend kim@example.com', says: /^user kim@example.com is suspended$/m },
  { line: 'users suspend <kim>', says: /was already suspended/ },
  { line: 'users list --suspended true', says: /kim@example.com .* suspended$/m },
  { line: 'users resume Kim@Example.com', says: /^user kim@example.com is active$/m },
  { line: 'users resume nobody@example.com', code: 1, says: /There is no user "nobody@/ },
  { line: 'users resume nobody', code: 1, says: /There is no user "nobody"/ },
  { line: 'users role kim@example.com member', says: /has the role member/ },
  { line: 'users role kim@example.com king', code: 2, says: /The role must be one of/ },
  {
    line: 'users verify kim@example.com --yes',
    here: listening,
    code: 1,
    says: /already verified/,
  },
  { line: 'users reset-factors <kim>', code: 2, says: /repeat the command with --yes/ },
  { line: 'users reset-factors <kim> --yes', says: /has no authenticator app and no passkey/ },
  { line: 'users unlink <kim>', code: 2, says: /repeat the command with --yes/ },
  { line: 'users unlink <kim> --yes', says: /was not linked to the identity provider/ },
  { line: 'users delete <kim>', code: 2, says: /repeat the command with --yes/ },
  { line: 'users delete <kim> --yes', says: /^user kim@example.com is deleted$/m },
  { line: 'users delete kim@example.com --yes', code: 1, says: /There is no user/ },
  {
    line: 'users role root@example.com member',
    code: 2,
    says: /After this, no administrator can sign in; there is no terminal .* with --yes/,
  },
  { line: 'users suspend root@example.com', code: 2, says: /no administrator can sign in/ },
  { line: 'users list --role admin', says: /root@example.com .* active$/m },
  { line: 'users suspend root@example.com --yes', says: /^user root@example.com is suspended$/m },
  { line: 'users resume root@example.com', says: /is active/ },
  { line: 'users role root@example.com member --yes', says: /has the role member/ },
  { line: 'users role root@example.com admin', says: /has the role admin/ },

  {
    line: 'tokens create --name deploy --scope keys --account beta --expires 2099-01-01',
    keep: ['token', /^id +(\S+)$/m],
  },
  { line: 'tokens create --name n --scope all --account nope', code: 1, says: /no account "nope"/ },
  {
    line: 'tokens create --name n --scope all --expires 2020-01-01',
    code: 1,
    says: /in the future/,
  },
  { line: 'tokens list --account beta', says: /deploy/ },
  { line: 'tokens revoke <token>', says: /is revoked/ },
  { line: 'tokens revoke <token>', says: /was already revoked/ },
  { line: 'tokens revoke nope', code: 1, says: /There is no token "nope"/ },
  { line: 'tokens list --account beta --json', says: /"revoked": "20/ },

  // Before there is an alert: the running gateway may send its message at any time.
  { line: 'messages list', says: /There are no messages/ },
  { line: 'messages list --state sent --json', says: /^\[\]$/m },
  { line: 'messages list --state lost', code: 2, says: /--state must be one of/ },
  { line: 'messages list --account nope', code: 1, says: /There is no account "nope"/ },
  {
    line: 'alerts create --name ops --channel slack --kind credit_low',
    code: 1,
    says: /needs --webhook-url-file or --webhook-url;/,
  },
  {
    line: 'alerts create --name ops --channel webhook --webhook-url http://127.0.0.1:9/x --kind credit_low',
    code: 1,
    says: /needs --signing-secret-file or --signing-secret;/,
  },
  {
    line: 'alerts create --name ops --channel email --kind credit_low',
    code: 1,
    says: /needs --email/,
  },
  {
    line: 'alerts create --account beta --name o --channel email --email a@b.example --kind upstream_down',
    code: 1,
    says: /--kind: only an alert for the whole gateway/,
  },
  { line: 'usage export --status 9', code: 1, says: /--status must be an HTTP status/ },
  {
    line: 'alerts create --name ops --channel slack --webhook-url http://127.0.0.1:9/x --kind upstream_down --kind credit_low --credit-below 20',
    keep: ['alert', /^id +(\S+)$/m],
  },
  { line: 'alerts list', says: /ops +gateway +slack +127.0.0.1:9 +/ },
  { line: 'alerts update <alert>', code: 2, says: /needs at least one option/ },
  {
    line: 'alerts update <alert> --name night --kind upstream_down --enabled false',
    says: /changed: name, kind, enabled/,
  },
  {
    line: 'alerts update <alert> --email ann@example.com',
    code: 1,
    says: /^tollgate: An option does not fit the channel: email takes --email/,
  },
  { line: 'alerts update nope --name n', code: 1, says: /There is no alert "nope"/ },
  { line: 'alerts list', says: /night +gateway +slack +127.0.0.1:9 +upstream_down +disabled/ },
  { line: 'alerts test <alert>', code: 1, says: /not at a public address/ },
  { line: 'messages list --state failed', says: /^ID +CREATED +PURPOSE[\s\S]*\btest\b/ },
  { line: 'messages resend 987654', code: 1, says: /There is no message "987654"/ },
  { line: 'alerts delete <alert>', says: /is deleted/ },
  { line: 'alerts delete <alert>', code: 1, says: /There is no alert/ },

  { line: 'upstreams list', says: /^one +openai-compatible +chat-completions .* 1 +enabled$/m },
  { line: 'upstreams list --json', says: /"models": 1/ },
  { line: 'upstreams test one', says: /^ok {3}chat-completions gpt-x/m },
  { line: 'upstreams test one --model gpt-x --json', says: /"status": 200/ },
  { line: 'upstreams test onne', code: 1, says: /did you mean "one"\?/ },

  { line: 'export', says: /^provision:\n {2}groups:\n {4}- id: "?default"?$/m },
  { line: 'export --json', says: /"accounts": \[/ },

  { line: 'recordings export nope', code: 1, says: /There is no account "nope"/ },
  {
    line: 'recordings export acme',
    code: 1,
    before: recordRequests,
    says: /The owners of this account have not let you read its recordings/,
  },
  {
    line: 'recordings export acme',
    before: openToOperators,
    says: /^(?:\{"requestId":.*"request":\{"text":"\{\\"of\\":\\"\w+\\"\}".*\}\n){3}$/,
  },
  { line: 'recordings export acme --end-user ann', says: /^(?:.*"endUsers":\["ann"\].*\n){2}$/ },
  { line: 'recordings export acme --key k1 --to 2020-01-01', says: /^$/ },
  { line: 'recordings export acme --from yesterday', code: 2, says: /--from must be/ },
  { line: 'recordings erase acme ann', code: 2, says: /repeat the command with --yes/ },
  { line: 'recordings erase nope ann --yes', code: 1, says: /There is no account "nope"/ },
  { line: 'recordings erase acme ann --yes', says: /^2 recordings deleted\n$/ },
  { line: 'recordings erase acme ann --yes', says: /^0 recordings deleted\n$/ },
  { line: 'recordings export acme', says: /^.*"endUsers":\["ben"\].*\n$/ },

  { line: 'usage export --account acme', says: /^request_id,time,account,/ },
  { line: 'usage export --account nope', code: 1, says: /There is no account "nope"/ },
  { line: 'usage export --status odd', code: 1, says: /status/ },
  { line: 'usage export --format xml', code: 2, says: /--format must be one of/ },
  // The actor differs between the two sides.
  { line: 'audit-log export --actor nobody', says: /^seq,time,actor,[\w,]+\r\n$/ },
  { line: 'audit-log export --from 2020-01-01 --to 2020-01-02 --format ndjson', says: /^$/ },
  { line: 'audit-log export --to yesterday', code: 2, says: /--to must be/ },

  { line: 'audit', says: /Every charge is accounted for/ },
  { line: 'audit --json', says: /"inOrder": true/ },
  { line: 'audit --account beta', says: /The lines add up exactly/ },
  { line: 'audit --account beta --from 2026-01-01 --by key --json', says: /"addsUp": true/ },
  { line: 'audit --account nope', code: 1, says: /There is no account "nope"/ },
  { line: 'audit --release beta', code: 1, says: /has not stopped/ },
  {
    line: 'audit --release beta',
    says: /gets leases again/,
    before: (side) => stopAccount(side, 'beta'),
  },
  { line: 'ledger replay', says: /^0 records applied to the database\n$/ },
  {
    line: 'ledger replay',
    code: 1,
    says: /^1 record applied to the database\n1 record is still rejected and stays in refused.log\n$/,
    before: setRecordsAside,
  },
  { line: 'accounts list --json', says: /"available": "5.499999993"/ },
  // Applied records are not applied again, and refused ones stay.
  { line: 'ledger replay', code: 1, says: /^0 records applied to the database\n1 record is still/ },
  { line: 'accounts list --json', says: /"available": "5.499999993"/ },
  {
    line: 'ledger replay',
    code: 1,
    says: /1 line cannot be read/,
    before: ({ workspace }) => {
      mkdirSync(workspace.path('data/journal'), { recursive: true })
      writeFileSync(workspace.path('data/journal/refused.log'), 'no record\n')
    },
  },

  { line: 'sign-in-link', here: listening, says: /\/console\/sign-in#/ },
  { line: 'sign-in-link root@example.com', here: listening, says: /\/console\/sign-in#/ },
  {
    line: 'sign-in-link b@example.com',
    here: listening,
    code: 1,
    says: /There is no user "b@example.com"/,
  },
]
