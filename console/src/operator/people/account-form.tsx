import { Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { accountDefinition } from '../../../../src/accounts/definition/account.ts'
import type { OperatorAccountDetail } from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { moneyKind } from '../../../../src/fields/kinds.ts'
import { limitNames } from '../../../../src/fields/limit-fields.ts'
import { writtenToWire } from '../../../../src/fields/written-to-wire.ts'
import { call } from '../../api/client.ts'
import { changedMembers } from '../../parts/forms/changed-members.ts'
import { DefinedFields } from '../../parts/forms/defined-fields.tsx'
import { TextInput } from '../../parts/forms/inputs.tsx'
import {
  type LimitEntries,
  LimitInputs,
  limitEntries,
  limitsOfEntries,
} from '../../parts/forms/limit-inputs.tsx'
import { textLimit } from '../../parts/forms/text-limit.ts'
import {
  otherFields,
  type Typed,
  type TypedFields,
  typedOf,
  wireOfFields,
  wireOfTyped,
} from '../../parts/forms/typed-fields.ts'
import { useFieldRules } from '../../parts/forms/use-field-rules.ts'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { FormEnd } from '../parts/form-end.tsx'
import { MomentInput } from '../parts/moment-input.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { useConfirmCredit } from './use-confirm-credit.tsx'

interface AccountValues extends LimitEntries {
  id: string
  name: string
  credit: string
  endsAt: number | null
  others: TypedFields
}

/** Fields for which the form has its own editors, or that another part of the page changes. */
const own = ['id', 'name', 'status', 'endsAt', ...limitNames] as const

interface AccountFormProps {
  /** Undefined for a new entry. */
  readonly account: OperatorAccountDetail | undefined
  readonly onSaved: (account: OperatorAccountDetail) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}

export function AccountForm({ account, onSaved, onClose, children }: AccountFormProps) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const rules = useFieldRules()
  const form = useForm<AccountValues>({
    initialValues: {
      id: account?.id ?? '',
      name: account?.name ?? '',
      credit: '',
      endsAt: account?.endsAt ?? null,
      ...limitEntries(account),
      others: typedOf(accountDefinition, own, account && { ...account }),
    },
    validateInputOnBlur: true,
    validate: {
      id: (id) => ruleText(findProblem(accountDefinition.fields.id.kind.wire, id)),
      name: (name) => ruleText(findProblem(accountDefinition.fields.name.kind.wire, name)),
      credit: (credit) =>
        credit.trim() === '' ? null : ruleText(findProblem(moneyKind.written, credit)),
      requestsPerMinute: rules.ifAny(rules.wire(accountDefinition.fields.requestsPerMinute.kind)),
      tokensPerMinute: rules.ifAny(rules.wire(accountDefinition.fields.tokensPerMinute.kind)),
      concurrentRequests: rules.ifAny(rules.wire(accountDefinition.fields.concurrentRequests.kind)),
      others: Object.fromEntries(
        otherFields(accountDefinition, own).map(([name, field]) => [
          name,
          (typed: Typed) => {
            const read = wireOfTyped(field, typed)
            return 'wrong' in read ? ruleText(read.wrong) : null
          },
        ]),
      ),
    },
  })
  const save = useFormChange(
    form,
    (values: AccountValues) => {
      const { id, name, credit } = values
      const { endsAt: _endsAt, ...settings } = settingsOf(values)
      return account === undefined
        ? call('POST /operate/accounts', {
            query: { confirm: 'true' },
            body: { ...settings, id, name, creditNano: writtenToWire(moneyKind, credit) ?? null },
          })
        : call('PATCH /operate/accounts/{id}', {
            params: { id: account.id },
            body: changedMembers(settingsOf(values), settingsOf(form.getInitialValues())),
          })
    },
    {
      done: t('operate.saved'),
      onDone: onSaved,
      optimistic: (update, { name, endsAt, ...entries }) =>
        account &&
        update.change('accounts', account.id, { name, endsAt, ...limitsOfEntries(entries) }),
    },
  )
  const [confirm, dialog] = useConfirmCredit()
  const submit = (values: AccountValues) => {
    const onYes = () => save.mutate(values)
    const amountNano = writtenToWire(moneyKind, values.credit) ?? '0'
    if (account !== undefined || amountNano === '0') return onYes()
    const reason = t('credit.initial')
    confirm({ name: values.name, availableNano: '0', amountNano, reason, onYes })
  }
  return (
    <form onSubmit={form.onSubmit(submit, save.reset)} noValidate>
      <Stack>
        {account === undefined && (
          <TextInput
            label={t('people.id')}
            description={t('people.idHint')}
            data-autofocus
            {...form.getInputProps('id')}
          />
        )}
        <TextInput
          label={t('people.name')}
          {...textLimit(accountDefinition.fields.name.kind)}
          {...form.getInputProps('name')}
        />
        {account === undefined ? (
          <TextInput
            label={t('people.firstCredit')}
            description={t('people.firstCreditHint')}
            leftSection="$"
            inputMode="decimal"
            {...form.getInputProps('credit')}
          />
        ) : (
          <MomentInput
            label={t('people.endsAt')}
            description={t('people.endsAtHint')}
            {...form.getInputProps('endsAt')}
          />
        )}
        <LimitInputs hint={t('limitsOf.account')} inputProps={(name) => form.getInputProps(name)} />
        <DefinedFields
          definition={accountDefinition}
          own={own}
          typed={form.values.others}
          errorOf={(name) => errorText(form.errors[`others.${name}`])}
          onChange={(others) => form.setValues({ others })}
        />
        <FormEnd
          error={save.error}
          isPending={save.isPending}
          submit={account === undefined ? t('people.createAccount') : t('operate.save')}
          onCancel={() => save.leave(onClose)}
        >
          {children}
        </FormEnd>
      </Stack>
      {dialog}
    </form>
  )
}

function errorText(error: unknown): string | undefined {
  return typeof error === 'string' ? error : undefined
}

function settingsOf({ name, endsAt, others, ...values }: AccountValues) {
  return {
    ...wireOfFields(accountDefinition, own, others),
    ...limitsOfEntries(values),
    name,
    endsAt,
  }
}
