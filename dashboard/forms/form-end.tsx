import type { ReactNode } from 'react';
import { t } from '#texts';
import { Quiet } from '#words';
import classes from './form-end.module.css';

export interface FormEndProps {
  /** What it is the end of: a panel or a dialog that keeps its distance, a list that reaches the edges of one, or several panels. */
  place?: 'panel' | 'list' | 'page';
  children: ReactNode;
}

/** The end of a form, in sight wherever its fields are scrolled to. */
export const FormEnd = ({ place = 'panel', children }: FormEndProps) => (
  <div className={classes.end} data-place={place}>
    {children}
  </div>
);

export interface ChangesProps {
  isDirty: boolean;
  /** What was changed, by the labels that people know it by. */
  changed?: string[];
}

/** What of a form is not saved. */
export interface FormState extends ChangesProps {
  isSaving: boolean;
  /** Something was typed since what is being saved was sent. */
  isTypedSince: boolean;
}

/** That of one which `useActionForm` fills. */
export const formStateOf = ({
  isDirty,
  changed,
  isSaving,
  isTypedSince,
}: Omit<FormState, 'isDirty'> & { isDirty: () => boolean }): FormState => ({
  isDirty: isDirty(),
  changed,
  isSaving,
  isTypedSince,
});

/** What a form is about to change of what is stored. */
export const Changes = ({ isDirty, changed = [] }: ChangesProps) => (
  <Quiet role="status" flex="1 1 120px" className={classes.changes}>
    {isDirty && (changed.length > 0 ? t`Changed: ${changed.join(', ')}` : t`Not saved yet`)}
  </Quiet>
);

/** Whether two values of a form differ, whatever their form. */
export const isOther = (one: unknown, another: unknown): boolean => JSON.stringify(one) !== JSON.stringify(another);

/** Of a list of records, what those are called that were added, changed or removed. */
export function changedIn<Item>(items: Item[], stored: Item[], nameOf: (item: Item) => string): string[] {
  const isIn = (list: Item[], item: Item) => list.some((each) => !isOther(each, item));
  const added = items.filter((item) => !isIn(stored, item));
  const gone = stored.filter((item) => !isIn(items, item));
  return [...new Set([...added, ...gone].map(nameOf))];
}
