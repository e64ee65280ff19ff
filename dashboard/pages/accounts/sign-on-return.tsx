import { Loader, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { useAction } from '#forms';
import { hasLeftToSignOn, passOn, returnFromSignOn, sentenceOf, session } from '#http';
import { Refusal } from '#parts';
import { t } from '#texts';
import { PageLink } from '#words';
import { Front } from '../../shell/brand';

/** Where the identity provider sends a browser back to: a sign-in goes on; a window that was opened for a proof tells the one behind it. */
export function SignOnReturn() {
  const { clinicId = '' } = useParams();
  const { search } = useLocation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isBegun = useRef(false);
  const isSignIn = useRef(hasLeftToSignOn()).current;
  const back = useAction(
    { mutationFn: returnFromSignOn },
    {
      onDone({ token, from }) {
        // What the last account has seen is not for the next one.
        queries.clear();
        session.open(token);
        return navigate(from, { replace: true });
      },
      onRefused: null,
    },
  );
  useEffect(() => {
    // Once, whatever the page does: what was sent is good for one use.
    if (isBegun.current) return;
    isBegun.current = true;
    window.history.replaceState(window.history.state, '', window.location.pathname);
    const returned = { clinicId, response: search };
    if (isSignIn) return back.mutate(returned);
    passOn(returned);
    window.close();
  }, [back, clinicId, isSignIn, search]);
  return (
    <Front title={t`Sign in`}>
      <Stack>
        <Title order={1}>{t`Sign in`}</Title>
        {back.isError && <Refusal>{sentenceOf(back.error)}</Refusal>}
        {back.isError && <PageLink to="/sign-in">{t`To the sign-in`}</PageLink>}
        {!back.isError && isSignIn && <Loader aria-label={t`Signing in`} />}
        {!isSignIn && <Text>{t`You can close this window and continue where you were.`}</Text>}
      </Stack>
    </Front>
  );
}
