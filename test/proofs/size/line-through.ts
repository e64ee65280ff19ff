/** The line that lies nearest to some points (least squares). */
export function lineThrough(points: (readonly [number, number])[]): { slope: number; intercept: number } {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const slope =
    points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) /
    points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return { slope, intercept: y - slope * x };
}
