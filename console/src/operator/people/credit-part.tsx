import { Badge, Button, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type {
  BodyOf,
  OperatorAccountDetail,
  OperatorCredit,
} from '../../../../src/console-api/contract.ts'
import { findProblem } from '../../../../src/fields/find-problem.ts'
import { writtenToWire } from '../../../../src/fields/written-to-wire.ts'
import { creditDefinition } from '../../../../src/ledger/definition/credit.ts'
import { ApiError, call } from '../../api/client.ts'
import { useCreditText } from '../../codes/use-credit-text.ts'
import { useOriginText } from '../../codes/use-origin-text.ts'
import { formatDollars } from '../../format/dollars.ts'
import { formatMoment } from '../../format/times.ts'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { TextInput } from '../../parts/forms/inputs.tsx'
import { SubmitRow } from '../../parts/forms/submit-row.tsx'
import { textLimit } from '../../parts/forms/text-limit.ts'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { Money } from '../../parts/values/money.tsx'
import { operatorKey } from '../operator-queries.ts'
import { useFormChange } from '../parts/use-form-change.ts'
import { useChange } from '../use-change.ts'
import { BalanceAfter, isEnough, useConfirmCredit } from './use-confirm-credit.tsx'

export function CreditPart({ account }: { account: OperatorAccountDetail }) {
  const { t, i18n } = useTranslation()
  const creditText = useCreditText()
  const originText = useOriginText()
  return (
    <Stack>
      <CreditForm account={account} />
      {account.credits.length > 0 && (
        <Table bg="var(--mantine-color-body)" withTableBorder fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('people.reason')}</Table.Th>
              <Table.Th ta="right">{t('people.amount')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {account.credits.map((credit) => (
              <Table.Tr key={credit.id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {creditText(credit)}
                  <Text size="xs" c="dimmed">
                    {formatMoment(credit.at, i18n.language)} · {originText(credit.source)}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">
                  <Money nano={credit.amountNano} />
                  <ReverseButton account={account} credit={credit} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  )
}

function ReverseButton(props: { account: OperatorAccountDetail; credit: OperatorCredit }) {
  const { t } = useTranslation()
  const { account, credit } = props
  const creditText = useCreditText()
  const [ask, dialog] = useConfirm()
  const reverse = useChange(
    () =>
      call('POST /operate/credits/{id}/reverse', {
        params: { id: credit.id },
        query: { confirm: 'true' },
      }),
    { done: t('people.reversed') },
  )
  if (credit.isReversed) {
    return (
      <Group justify="flex-end">
        <Badge color="gray">{t('people.isReversed')}</Badge>
      </Group>
    )
  }
  if (credit.isReversal) return null
  const reason = creditText(credit)
  const change = {
    availableNano: account.availableNano,
    amountNano: String(-BigInt(credit.amountNano)),
  }
  const question = {
    title: t('people.reverseTitle', { reason, amount: formatDollars(credit.amountNano) }),
    text: (
      <Stack gap="xs">
        <Text size="sm">{t('people.reverseText')}</Text>
        <BalanceAfter {...change} />
      </Stack>
    ),
    action: isEnough(change) ? t('people.reverse') : undefined,
    onYes: () => reverse.mutate(),
  }
  return (
    <Group justify="flex-end">
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        loading={reverse.isPending}
        aria-label={t('people.reverseName', { reason })}
        onClick={() => ask(question)}
      >
        {t('people.reverse')}
      </Button>
      {dialog}
    </Group>
  )
}

const { fields } = creditDefinition
const blank = { amount: '', reason: '' }

function CreditForm({ account }: { account: OperatorAccountDetail }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const queries = useQueryClient()
  // The id makes a retry idempotent. It changes only when a credit has it.
  const externalId = useRef(newExternalId())
  const form = useForm({
    initialValues: blank,
    validate: {
      amount: (amount) => ruleText(findProblem(fields.amountNano.kind.written, amount)),
      reason: (reason) => {
        const found = findProblem(fields.reason.kind.wire, reason)
        return ruleText(found && { ...found, problem: 'text_long' })
      },
    },
  })
  /** The response to an earlier attempt was lost, and the amount has changed since. */
  const showEarlier = (error: unknown): never => {
    if (error instanceof ApiError && error.detail === 'credit_taken') {
      externalId.current = newExternalId()
      void queries.invalidateQueries({ queryKey: operatorKey })
    }
    throw error
  }
  const grant = useFormChange(
    form,
    (body: BodyOf<'POST /operate/accounts/{id}/credits'>) =>
      call('POST /operate/accounts/{id}/credits', {
        params: { id: account.id },
        query: { confirm: 'true' },
        body,
      }).catch(showEarlier),
    {
      done: ({ amountNano }) =>
        amountNano.startsWith('-') ? t('people.corrected') : t('people.credited'),
      onDone: () => {
        externalId.current = newExternalId()
        form.setValues(blank)
        form.resetDirty(blank)
      },
    },
  )
  const [confirm, dialog] = useConfirmCredit()
  const isCorrection = /^\s*[-−]/.test(form.values.amount)
  const submit = ({ amount, reason }: typeof form.values) => {
    const amountNano = writtenToWire(fields.amountNano.kind, amount) ?? '0'
    const { name, availableNano } = account
    const onYes = () => grant.mutate({ amountNano, reason, externalId: externalId.current })
    confirm({ name, availableNano, amountNano, reason, onYes })
  }
  return (
    <Paper withBorder p="md">
      <form noValidate onSubmit={form.onSubmit(submit, grant.reset)}>
        <Stack gap="sm">
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <TextInput
              label={t('people.amount')}
              description={t('people.amountHint')}
              inputWrapperOrder={['label', 'input', 'error', 'description']}
              leftSection="$"
              inputMode="decimal"
              w={140}
              {...form.getInputProps('amount')}
            />
            <TextInput
              label={t('people.reason')}
              placeholder={t('people.reasonExample')}
              {...textLimit(fields.reason.kind)}
              {...form.getInputProps('reason')}
            />
          </Group>
          <SubmitRow
            sending={grant}
            label={isCorrection ? t('people.correct') : t('people.grant')}
            size="xs"
          />
        </Stack>
      </form>
      {dialog}
    </Paper>
  )
}

/** `crypto.randomUUID` exists only on https and localhost. */
function newExternalId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
