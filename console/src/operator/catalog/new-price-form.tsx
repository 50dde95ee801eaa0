import { Button, Group, Paper, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { expiryProblem } from '../../../../src/console-api/contract/rules.ts'
import type { AddPriceRequest, ModelDetail } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { ProblemText } from '../../parts/feedback/problem-text.tsx'
import { useErrorText } from '../../parts/feedback/use-error-text.ts'
import { useRuleText } from '../../parts/forms/use-rule-text.ts'
import { MomentInput } from '../parts/moment-input.tsx'
import { useFormChange } from '../parts/use-form-change.ts'
import { FeatureFields, PriceFields, usePriceRules } from './price-fields.tsx'
import {
  type PriceValues,
  priceValues,
  type TierValues,
  tierValues,
  wholePriceOf,
} from './price-values.ts'
import { TierFields, useTierRules } from './tier-fields.tsx'

interface NewPrice {
  price: PriceValues
  longPrompts: TierValues[]
  validFrom: number | null
}

/** Prices are never edited. The form adds a version and starts with the current figures. */
export function NewPriceForm({ model, onClose }: { model: ModelDetail; onClose: () => void }) {
  const { t } = useTranslation()
  const ruleText = useRuleText()
  const errorText = useErrorText()
  const rules = usePriceRules()
  const tierRules = useTierRules()
  const form = useForm<NewPrice>({
    initialValues: {
      price: priceValues(model.price),
      longPrompts: tierValues(model.price),
      validFrom: null,
    },
    validate: {
      price: rules,
      longPrompts: tierRules,
      validFrom: (atMs) => (atMs === null ? null : ruleText(expiryProblem(atMs, Date.now()))),
    },
  })
  const save = useFormChange(
    form,
    (body: AddPriceRequest) =>
      call('POST /operate/models/{id}/prices', { params: { id: model.id }, body }),
    { done: t('prices.saved'), onDone: onClose },
  )
  return (
    <Paper withBorder p="md">
      <form
        noValidate
        onSubmit={form.onSubmit(
          ({ price, longPrompts, validFrom }) =>
            save.mutate({ price: wholePriceOf(price, longPrompts), validFrom }),
          save.reset,
        )}
      >
        <Stack gap="sm">
          <PriceFields inputProps={(name) => form.getInputProps(`price.${name}`)} />
          <TierFields
            price={form.values.price}
            steps={form.values.longPrompts}
            inputProps={(place, name) => form.getInputProps(`longPrompts.${place}.${name}`)}
            onChange={(steps) => form.setFieldValue('longPrompts', steps)}
          />
          <FeatureFields inputProps={(name) => form.getInputProps(`price.${name}`)} />
          <MomentInput
            label={t('prices.validFrom')}
            description={t('prices.validFromHint')}
            {...form.getInputProps('validFrom')}
          />
          {save.error && <ProblemText>{errorText(save.error)}</ProblemText>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" size="xs" onClick={() => save.leave(onClose)}>
              {t('cancel')}
            </Button>
            <Button type="submit" size="xs" loading={save.isPending}>
              {t('prices.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
