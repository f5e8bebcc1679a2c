namespace glycine {

/// Adds nothing: the algorithm is registered with its command, which needs the gl and cuda engines beside the
/// reference and cpu ones that are here.
void register_crossapen();
void register_crossapen() {}

}  // namespace glycine
