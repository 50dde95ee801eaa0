import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { tokenDefinition } from '../../../src/admin-tokens/definition/token.ts'
import { expiryProblem } from '../../../src/console-api/contract/rules.ts'
import type {
  AdminScope,
  CreateTokenRequest,
  TokenWithValue,
} from '../../../src/console-api/contract.ts'
import { ApiError, call } from '../api/client.ts'
import { sessionQuery, tokensKey } from '../api/queries.ts'
import { AddressField } from '../keys/address-field.tsx'
import { ExpiryField } from '../keys/expiry-field.tsx'
import { type ExpiryChoice, expiryOf } from '../keys/key-form-values.ts'
import { FormEnd } from '../operator/parts/form-end.tsx'
import { useUnsaved } from '../parts/dialogs/unsaved.tsx'
import { useDetailText } from '../parts/feedback/use-error-text.ts'
import { TextInput } from '../parts/forms/inputs.tsx'
import { textLimit } from '../parts/forms/text-limit.ts'
import { useFieldRules } from '../parts/forms/use-field-rules.ts'
import { useRuleText } from '../parts/forms/use-rule-text.ts'
import { useFreshSignIn } from '../parts/fresh-sign-in/use-fresh-sign-in.tsx'
import type { Reach } from './reach.ts'
import { ReachField } from './reach-field.tsx'
import { ScopeField } from './scope-field.tsx'

const { fields } = tokenDefinition

interface TokenValues {
  readonly name: string
  readonly scopes: readonly AdminScope[]
  readonly reach: Reach
  readonly accountId: string | null
  readonly expiry: ExpiryChoice
  readonly expiresAt: string
  readonly isFenced: boolean
  readonly addresses: readonly string[]
}

interface TokenFormProps {
  /** The selected account. */
  readonly account: string | undefined
  readonly onMade: (made: TokenWithValue) => void
  readonly onCancel: () => void
}

/** Form for a new token. Creating a token needs a recent sign-in. */
export function TokenForm({ account, onMade, onCancel }: TokenFormProps) {
  const { t } = useTranslation()
  const detailText = useDetailText()
  const queries = useQueryClient()
  const [runFresh, freshDialog] = useFreshSignIn()
  const [refused, setRefused] = useState<Error | null>(null)
  const { isOperator, accounts } = useTokenAccounts(account)
  const form = useTokenForm(isOperator && account === undefined, accounts[0]?.id ?? null, account)
  const { values } = form
  const leave = useUnsaved(() => form.isDirty())
  const submit = async () => {
    setRefused(null)
    try {
      const body = requestOf(values)
      const made = await runFresh(() => call('POST /tokens', { body }))
      if (!made) return
      form.resetDirty()
      onMade(made)
      void queries.invalidateQueries({ queryKey: tokensKey })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      setRefused(error)
      if (error instanceof ApiError && error.field !== undefined && error.field in values) {
        form.setFieldError(error.field, detailText(error))
      }
    }
  }
  const errorOf = (field: keyof TokenValues) => {
    const error: unknown = form.errors[field]
    return typeof error === 'string' ? error : undefined
  }
  return (
    <>
      <form onSubmit={form.onSubmit(submit, () => setRefused(null))} noValidate>
        <Stack gap="lg">
          <TextInput
            label={t('tokens.name')}
            placeholder={t('tokens.nameHint')}
            {...textLimit(fields.name.kind)}
            data-autofocus
            {...form.getInputProps('name')}
          />
          <ReachField
            text={t('tokens.form.reachText')}
            isOperator={isOperator}
            accounts={accounts}
            reach={values.reach}
            accountId={values.accountId}
            error={errorOf('accountId')}
            onChange={form.setValues}
          />
          <ScopeField
            scopes={values.scopes}
            error={errorOf('scopes')}
            onChange={(scopes) => form.setFieldValue('scopes', scopes)}
          />
          <ExpiryField
            expiry={values.expiry}
            expiresAt={values.expiresAt}
            error={errorOf('expiresAt')}
            onChange={form.setValues}
          />
          <AddressField
            isFenced={values.isFenced}
            addresses={values.addresses}
            error={errorOf('addresses')}
            onFence={(isFenced) => form.setValues({ isFenced })}
            onChange={(addresses) => form.setFieldValue('addresses', addresses)}
          />
        </Stack>
        <FormEnd
          error={refused}
          isPending={form.submitting}
          submit={t('tokens.create')}
          onCancel={() => leave(onCancel)}
        />
      </form>
      {/* Outside the form, because a submit in the dialog would also submit the form. */}
      {freshDialog}
    </>
  )
}

/** The accounts to choose from: those that the user owns, or the selected one. */
function useTokenAccounts(account: string | undefined) {
  const session = useQuery(sessionQuery).data
  const isOperator = session?.user?.role === 'admin'
  const owned = (session?.accounts ?? []).filter(({ role }) => role === 'owner')
  if (account === undefined) return { isOperator, accounts: owned }
  const name = owned.find(({ id }) => id === account)?.name ?? account
  const others = isOperator ? owned.filter(({ id }) => id !== account) : []
  return { isOperator, accounts: [{ id: account, name }, ...others] }
}

function useTokenForm(isForGateway: boolean, first: string | null, account: string | undefined) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const rules = useFieldRules()
  return useForm<TokenValues>({
    mode: 'controlled',
    initialValues: {
      name: '',
      scopes: [],
      reach: isForGateway ? 'gateway' : 'account',
      accountId: isForGateway ? null : (account ?? first),
      expiry: '90',
      expiresAt: '',
      isFenced: false,
      addresses: [],
    },
    validateInputOnBlur: ['name'],
    validate: {
      name: rules.wire(fields.name.kind),
      scopes: rules.wire(fields.scopes.kind),
      accountId: (id, { reach }) =>
        reach === 'account' && id === null ? t('account.choose') : null,
      expiresAt: (_text, values) => {
        const at = expiryOf(values, Date.now())
        return at === null ? null : ruleText(expiryProblem(at, Date.now()))
      },
      addresses: (addresses, { isFenced }) => {
        if (!isFenced) return null
        if (addresses.length === 0) return t('tokens.form.noAddress')
        return rules.wire(fields.addresses.kind)(addresses)
      },
    },
  })
}

/** All fields are listed, so that a new field of the definition is a type error here. */
function requestOf(values: TokenValues): Required<CreateTokenRequest> {
  return {
    name: values.name.trim(),
    scopes: [...values.scopes],
    accountId: values.reach === 'gateway' ? null : values.accountId,
    expiresAt: expiryOf(values, Date.now()),
    addresses: values.isFenced ? [...values.addresses] : null,
  }
}
