import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { accountDefinition } from '../../../../src/accounts/definition/account.ts'
import type { OperatorAccountDetail } from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { moneyKind } from '../../../../src/fields/kinds.ts'
import { writtenToWire } from '../../../../src/fields/written-to-wire.ts'
import { call } from '../../api/client.ts'
import {
  type LimitEntries,
  LimitInputs,
  limitEntries,
  limitsOfEntries,
} from '../../parts/limit-inputs.tsx'
import { textLimit } from '../../parts/text-limit.ts'
import { useFieldRules } from '../../parts/use-field-rules.ts'
import { useRuleText } from '../../parts/use-rule-text.ts'
import { FormEnd } from '../parts/form-end.tsx'
import { MomentInput } from '../parts/moment-input.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { useConfirmCredit } from './use-confirm-credit.tsx'

interface AccountValues extends LimitEntries {
  id: string
  name: string
  credit: string
  endsAt: number | null
}

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
    },
  })
  const save = useFormChange(
    form,
    ({ id, name, credit, endsAt, ...entries }: AccountValues) => {
      const limits = limitsOfEntries(entries)
      return account === undefined
        ? call('POST /operate/accounts', {
            body: { id, name, creditNano: writtenToWire(moneyKind, credit) ?? null, ...limits },
          })
        : call('PATCH /operate/accounts/{id}', {
            params: { id: account.id },
            body: { name, endsAt, ...limits },
          })
    },
    {
      done: t('operate.saved'),
      onDone: onSaved,
      ahead: (ahead, { name, endsAt, ...entries }) =>
        account &&
        ahead.change('accounts', account.id, { name, endsAt, ...limitsOfEntries(entries) }),
    },
  )
  const [confirm, dialog] = useConfirmCredit()
  const submit = (values: AccountValues) => {
    const onYes = () => save.mutate(values)
    const amountNano = writtenToWire(moneyKind, values.credit) ?? '0'
    if (account !== undefined || amountNano === '0') return onYes()
    const reason = t('credit.credit to start with')
    confirm({ name: values.name, availableNano: '0', amountNano, reason, onYes })
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
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
        <LimitInputs inputProps={(name) => form.getInputProps(name)} />
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
