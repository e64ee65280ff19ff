/** The token of an `Authorization` header; null where it holds none. */
export function bearerIn(authorization: string | undefined): string | null {
  return /^Bearer +([\x21-\x7e]{8,512}) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
